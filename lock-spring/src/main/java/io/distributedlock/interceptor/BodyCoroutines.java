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
 * them, so the release does. Only this class needs Kotlin.
 * <p>
 * It is an element of the context of the body, where it changes nothing, and learns of
 * each coroutine before that runs code in a thread. A coroutine that is not known has run
 * nothing, and never will if it was cancelled: Kotlin checks that after this element has
 * learned of it.
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
	 * The context of a continuation includes the outer elements, that of a flow does not.
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
	 * The coroutine of the body runs for a publisher, and so do those of other proxies
	 * that it calls. Coroutines that are meant to outlive the body do not, and may never
	 * end.
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

	/** A key of its own, so that the context of an inner body includes both. */
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
