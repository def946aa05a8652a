package io.distributedlock.interceptor;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.reactive.ReactiveLockTemplate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * The kind of a result whose subscription starts the work of the method. Each
 * subscription takes the lock, runs the advice inside it and the method, and waits for
 * the result.
 */
final class ReactiveResultKind extends ResultKind {

	private static final ReactiveAdapterRegistry ADAPTERS = ReactiveAdapterRegistry.getSharedInstance();

	private final Supplier<ReactiveLockTemplate> template;

	private final boolean suspending;

	private final ReactiveAdapter adapter;

	private final boolean coroutines;

	/**
	 * Create the kind of a type. It is the declared type, or for a suspending function
	 * the type of the value with which it resumes. The proxy of such a function resumes
	 * the caller with the result of the advice: a {@link Mono}, or a {@link Flux} for a
	 * flow.
	 */
	ReactiveResultKind(Supplier<ReactiveLockTemplate> template, Class<?> type, boolean suspending, boolean nullable) {
		super(false, type, nullable);
		this.template = template;
		this.suspending = suspending;
		Class<?> resumed = SuspendingFunctions.isFlow(type) ? Flux.class : Mono.class;
		this.adapter = Objects.requireNonNull(ADAPTERS.getAdapter(suspending ? resumed : type));
		this.coroutines = suspending || SuspendingFunctions.isFlow(this.adapter.getReactiveType());
	}

	/** Return whether a sequence can be returned as that type. */
	static boolean isReactive(Class<?> type) {
		ReactiveAdapter adapter = ADAPTERS.getAdapter(type);
		return adapter != null && type.isAssignableFrom(adapter.getReactiveType());
	}

	/** The result of a call. Each subscription to it runs the call. */
	Object invoke(GuardedCall call) {
		Flux<Object> guarded = Flux.deferContextual((context) -> guarded(call.forSubscription(), watch(context)));
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? guarded : guarded.singleOrEmpty());
	}

	private Flux<Object> guarded(GuardedCall call, CoroutineWatch coroutines) {
		return this.template.get()
			.executeMany(call.request(),
					(lease) -> Flux.from(enter(call, lease, coroutines))
						.contextWrite((outer) -> this.coroutines ? outer.put(CoroutineWatch.class, coroutines) : outer),
					coroutines::ended)
			.onErrorResume(LockException.class, (ex) -> run(() -> call.instead(ex)));
	}

	private CoroutineWatch watch(ContextView context) {
		return this.coroutines ? new BodyCoroutines(context.getOrDefault(CoroutineWatch.class, null))
				: CoroutineWatch.NOTHING;
	}

	private Publisher<Object> enter(GuardedCall body, Lease lease, CoroutineWatch coroutines) {
		return run(() -> {
			body.watchedBy(coroutines);
			return coroutines.watched(body.doWithLock(lease));
		});
	}

	private Publisher<Object> run(Step step) {
		try {
			Object result = step.run();
			return (result instanceof Publisher<?> || !this.suspending) ? this.adapter.toPublisher(result)
					: Mono.justOrEmpty(result);
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	@Override
	@Nullable Supplier<@Nullable Object> emptyResult() {
		if (!isPlain()) {
			return this.adapter.supportsEmpty() ? () -> this.adapter.fromPublisher(Flux.empty()) : null;
		}
		if (this.type == Optional.class) {
			return () -> Mono.just(Optional.empty());
		}
		return (this.nullable || SuspendingFunctions.isUnit(this.type)) ? Mono::empty : null;
	}

	@Override
	@Nullable Object resultOf(@Nullable Object value) {
		ReactiveAdapter given = ADAPTERS.getAdapter(null, value);
		if (isPlain()) {
			return (given != null) ? Mono.from(given.toPublisher(value)).hide() : value;
		}
		if (this.adapter.getReactiveType().isInstance(value)) {
			return value;
		}
		return this.adapter.fromPublisher((given != null) ? given.toPublisher(value) : Mono.justOrEmpty(value));
	}

	/** Return whether a suspending function returns the value itself, not a flow. */
	private boolean isPlain() {
		return this.suspending && !this.adapter.isMultiValue();
	}

	/** A call that makes a sequence. */
	@FunctionalInterface
	private interface Step {

		@Nullable Object run() throws Throwable;

	}

}
