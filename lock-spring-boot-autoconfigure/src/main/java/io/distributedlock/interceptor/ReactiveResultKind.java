package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.reactive.ReactiveLockTemplate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * Methods whose work starts with a subscription to their result: each subscription takes
 * the lock, runs the advice inside it and the method, and waits for the result.
 */
final class ReactiveResultKind implements ResultKind {

	private final Supplier<ReactiveLockTemplate> template;

	private final ReactiveAdapter adapter;

	/** The replacement for a result of the function may be a plain value. */
	private final boolean suspending;

	private final boolean coroutines;

	private final @Nullable Supplier<@Nullable Object> empty;

	private ReactiveResultKind(Supplier<ReactiveLockTemplate> template, ReactiveAdapter adapter, boolean suspending,
			@Nullable Supplier<@Nullable Object> empty) {
		this.template = template;
		this.adapter = adapter;
		this.suspending = suspending;
		this.coroutines = suspending || SuspendingFunctions.isFlow(adapter.getReactiveType());
		this.empty = empty;
	}

	/**
	 * The kind of a declared type, or {@code null} if a sequence cannot be returned as
	 * that type.
	 */
	static @Nullable ResultKind of(Class<?> type, Supplier<LockRegistry> registry, Supplier<LockProfiles> profiles) {
		if (!isReactive(type)) {
			return null;
		}
		ReactiveAdapter adapter = require(ReactiveAdapterRegistry.getSharedInstance().getAdapter(type));
		return new ReactiveResultKind(template(registry, profiles), adapter, false,
				adapter.supportsEmpty() ? () -> adapter.fromPublisher(Flux.empty()) : null);
	}

	/** Whether a sequence can be returned as that type. */
	static boolean isReactive(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return adapter != null && type.isAssignableFrom(adapter.getReactiveType());
	}

	private static Supplier<ReactiveLockTemplate> template(Supplier<LockRegistry> registry,
			Supplier<LockProfiles> profiles) {
		return SingletonSupplier.of(() -> new ReactiveLockTemplate(registry.get(), profiles.get()));
	}

	/**
	 * The kind of a suspending function. Its proxy resumes the caller with what the
	 * advice returns, a {@link Mono}, or a {@link Flux} if the result is a flow.
	 */
	static ResultKind ofSuspending(ResolvableType type, Supplier<LockRegistry> registry,
			Supplier<LockProfiles> profiles) {
		Supplier<ReactiveLockTemplate> template = template(registry, profiles);
		Class<?> result = type.resolve(Object.class);
		ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();
		if (SuspendingFunctions.isFlow(result)) {
			return new ReactiveResultKind(template, require(adapters.getAdapter(Flux.class)), true, Flux::empty);
		}
		ReactiveAdapter mono = require(adapters.getAdapter(Mono.class));
		if (result == Optional.class) {
			return new ReactiveResultKind(template, mono, true, () -> Mono.just(Optional.empty()));
		}
		return new ReactiveResultKind(template, mono, true, SuspendingFunctions.isUnit(result) ? Mono::empty : null);
	}

	private static ReactiveAdapter require(@Nullable ReactiveAdapter adapter) {
		if (adapter == null) {
			throw new IllegalStateException("Spring has no adapter for this type");
		}
		return adapter;
	}

	@Override
	public Object invoke(GuardedCall call) {
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
		return this.coroutines ? SuspendingFunctions.watch(context.getOrDefault(CoroutineWatch.class, null))
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
	public @Nullable Supplier<@Nullable Object> emptyResult() {
		return this.empty;
	}

	@Override
	public @Nullable Object resultOf(@Nullable Object value) {
		ReactiveAdapter given = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value);
		if (isPlain()) {
			return (given != null) ? Mono.from(given.toPublisher(value)).hide() : value;
		}
		if (this.adapter.getReactiveType().isInstance(value)) {
			return value;
		}
		return this.adapter.fromPublisher((given != null) ? given.toPublisher(value) : Mono.justOrEmpty(value));
	}

	/** A suspending function returns the value itself, or a flow. */
	private boolean isPlain() {
		return this.suspending && !this.adapter.isMultiValue();
	}

	/** A call that makes a sequence. */
	@FunctionalInterface
	private interface Step {

		@Nullable Object run() throws Throwable;

	}

}
