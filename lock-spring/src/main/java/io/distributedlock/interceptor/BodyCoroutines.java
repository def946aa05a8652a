package io.distributedlock.interceptor;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * The coroutines that run the body of one subscription. A cancellation does not wait for
 * them, so the release does. Only this class of the package needs Kotlin.
 * <p>
 * This object is an element of the coroutine context of the body, where it changes
 * nothing. It learns of each coroutine before the coroutine runs code in a thread. A
 * coroutine that is not known has run nothing, and never will if it was cancelled: Kotlin
 * checks that after this element has learned of it.
 */
final class BodyCoroutines extends AbstractCoroutineContextElement
		implements ThreadContextElement<Unit>, CoroutineWatch {

	private final Set<Job> known = ConcurrentHashMap.newKeySet();

	private final CoroutineWatch outer;

	BodyCoroutines(@Nullable CoroutineWatch outer) {
		super(new OwnKey());
		this.outer = (outer != null) ? outer : CoroutineWatch.NOTHING;
	}

	/**
	 * The context of a continuation includes the outer elements already. For a flow they
	 * are added.
	 */
	@Override
	public @Nullable Object watched(@Nullable Object value) {
		if (value instanceof Continuation<?> continuation) {
			return new WatchedContinuation<>(continuation, continuation.getContext().plus(this));
		}
		return (this.outer.watched(value) instanceof Flow<?> flow) ? FlowKt.flowOn(flow, this) : value;
	}

	@Override
	public Unit updateThreadContext(CoroutineContext context) {
		Job job = context.get(Job.Key);
		if (job != null) {
			learn(root(job));
		}
		return Unit.INSTANCE;
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, Unit before) {
	}

	/** The outermost job, which completes after its children. */
	private static Job root(Job job) {
		Job root = job;
		for (Job parent = job.getParent(); parent != null; parent = parent.getParent()) {
			root = parent;
		}
		return root;
	}

	/**
	 * Learn of a coroutine that runs for a publisher: the one of the body, or of another
	 * proxy that the body calls. Other coroutines are meant to outlive the body, and may
	 * never end.
	 */
	private void learn(Job root) {
		if ((root instanceof Disposable || root instanceof Subscription) && this.known.add(root)) {
			root.invokeOnCompletion((cause) -> {
				this.known.remove(root);
				return Unit.INSTANCE;
			});
		}
	}

	@Override
	public Mono<Void> ended() {
		return Mono.defer(() -> {
			for (Job job : this.known) {
				if (!job.isCompleted()) {
					return completion(job).then(ended());
				}
			}
			return Mono.empty();
		});
	}

	private static Mono<Void> completion(Job job) {
		return Mono.create((sink) -> job.invokeOnCompletion((cause) -> {
			sink.success();
			return Unit.INSTANCE;
		}));
	}

	/** A key for each object: the context of an inner body includes both elements. */
	private static final class OwnKey implements CoroutineContext.Key<BodyCoroutines> {

	}

	/** The caller's continuation, with more context. */
	private record WatchedContinuation<T>(Continuation<T> caller, CoroutineContext context) implements Continuation<T> {

		@Override
		public CoroutineContext getContext() {
			return this.context;
		}

		@Override
		public void resumeWith(Object result) {
			this.caller.resumeWith(result);
		}

	}

}
