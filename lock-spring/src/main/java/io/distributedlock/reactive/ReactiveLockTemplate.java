package io.distributedlock.reactive;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.TemplateLease;
import io.distributedlock.WhenLost;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import org.springframework.util.ClassUtils;

/**
 * Puts reactive sequences under locks of a {@link LockRegistry}. Thread-safe; no thread
 * is blocked.
 * <p>
 * If a reactive transaction is open when the lock is acquired, the lock is kept and
 * renewed until that transaction has completed, and checked once more before the commit:
 * a transaction whose lock was lost rolls back with
 * {@link io.distributedlock.LockLostException}. That cannot be promised for a transaction
 * that the body begins deeper inside: Spring has no way to register with a reactive
 * transaction from outside, so it may commit after the loss, which is then reported when
 * the body has completed. {@link WhenLost#INTERRUPT} narrows that gap, since it cancels
 * the body at once and so rolls its transaction back; only a fencing token closes it.
 * <p>
 * Cancelling a subscription cancels the body and releases the lock then, but not before
 * code of the body has returned that runs in the thread that subscribes to it, or to a
 * guarded body inside it. What the body started elsewhere and does not stop when it is
 * cancelled runs on without the lock, unless
 * {@link #executeMany(LockRequest, Function, Supplier)} knows when it has ended.
 *
 * @since 0.1.0
 */
public class ReactiveLockTemplate {

	private static final boolean TRANSACTIONS = ClassUtils.isPresent(
			"org.springframework.transaction.reactive.TransactionSynchronizationManager",
			ReactiveLockTemplate.class.getClassLoader());

	private final LockRegistry registry;

	private final LockProfiles profiles;

	private final Scheduler scheduler;

	/**
	 * Create a template for a registry without configuration of its own.
	 * @param registry where the locks come from
	 */
	public ReactiveLockTemplate(LockRegistry registry) {
		this(registry, LockProfiles.DEFAULTS);
	}

	/**
	 * Create a template that continues on the parallel scheduler once a lock is acquired
	 * or released, as the timed operators of Reactor do.
	 * @param registry where the locks come from
	 * @param profiles the configuration of the registry; it decides what a loss does
	 */
	public ReactiveLockTemplate(LockRegistry registry, LockProfiles profiles) {
		this(registry, profiles, Schedulers.parallel());
	}

	/**
	 * Create a template.
	 * @param registry where the locks come from
	 * @param profiles the configuration of the registry; it decides what a loss does
	 * @param scheduler where sequences continue once a lock is acquired or released
	 */
	public ReactiveLockTemplate(LockRegistry registry, LockProfiles profiles, Scheduler scheduler) {
		this.registry = registry;
		this.profiles = profiles;
		this.scheduler = scheduler;
	}

	/**
	 * The lease under which the subscriber is, innermost first. It travels in the Reactor
	 * context, so it is there wherever the body goes; {@link Lease#current()} is not,
	 * since that belongs to a thread.
	 * @return the lease, or empty outside a guarded body
	 */
	public static Mono<Lease> currentLease() {
		return Mono.deferContextual((context) -> Mono.justOrEmpty(context.<Inside>getOrEmpty(Inside.class)))
			.map(Inside::lease);
	}

	/**
	 * Put a sequence under a lock, with the configured options.
	 * @param key the key, not blank
	 * @param body what to subscribe to when the lock is held
	 * @param <T> the type of the result
	 * @return the guarded sequence, as {@link #execute(LockRequest, Function)} describes
	 */
	public <T> Mono<T> execute(String key, Mono<T> body) {
		return execute(LockRequest.of(key), (lease) -> body);
	}

	/**
	 * Put a sequence under a lock. Each subscription waits for the lock, without blocking
	 * a thread, then for the body, then for the release; cancelling one that waits leaves
	 * nothing behind. A subscription made inside the body enters the locks of the
	 * subscriptions around it again; it is the Reactor context that says so, no thread.
	 * <p>
	 * Fails as the body does, which always wins, or with {@link LockNotAcquiredException}
	 * if the lock stayed taken for the whole budget, {@link LockStoreException} if the
	 * store could not be asked, or {@link LockLostException} if the lease was lost: after
	 * the body, or at once, with the body cancelled, if the request asks to be
	 * interrupted.
	 * @param request what to lock and how
	 * @param action makes the body, for each subscription
	 * @param <T> the type of the result
	 * @return the guarded sequence; its value comes after the release
	 */
	public <T> Mono<T> execute(LockRequest request, Function<? super Lease, ? extends Mono<T>> action) {
		return this.<T>executeMany(request, action).singleOrEmpty();
	}

	/**
	 * Put a sequence of many elements under a lock, as
	 * {@link #execute(LockRequest, Function)} does with one of at most one. The lock is
	 * kept for as long as the subscriber takes, so a slow one holds it long.
	 * @param request what to lock and how
	 * @param action makes the body, for each subscription
	 * @param <T> the type of the elements
	 * @return the guarded sequence; it completes after the release
	 */
	public <T> Flux<T> executeMany(LockRequest request, Function<? super Lease, ? extends Publisher<T>> action) {
		return executeMany(request, action, Mono::empty);
	}

	/**
	 * Put a sequence under a lock, and keep the lock until code has ended that the body
	 * runs in other threads, where the end of the sequence does not stop it at once.
	 * @param request what to lock and how
	 * @param action makes the body, for each subscription
	 * @param elsewhere called once the body has failed or was cancelled; the lock is not
	 * released before that has completed, unless it is lost
	 * @param <T> the type of the elements
	 * @return the guarded sequence; it completes after the release
	 */
	public <T> Flux<T> executeMany(LockRequest request, Function<? super Lease, ? extends Publisher<T>> action,
			Supplier<? extends Mono<?>> elsewhere) {
		return Flux.usingWhen(Mono.fromSupplier(() -> open(request, elsewhere)),
				(lease) -> body(request, lease, action), (lease) -> Mono.empty(), SubscriptionLease::fail,
				SubscriptionLease::cancel);
	}

	private SubscriptionLease open(LockRequest request, Supplier<? extends Mono<?>> elsewhere) {
		WhenLost whenLost = this.profiles.resolve(request.name(), request.options()).whenLost();
		return new SubscriptionLease(Objects.requireNonNull(whenLost), this.scheduler, elsewhere);
	}

	/** The release is part of the sequence, so that what it fails with is not wrapped. */
	private <T> Flux<T> body(LockRequest request, SubscriptionLease lease,
			Function<? super Lease, ? extends Publisher<T>> action) {
		Mono<Optional<OpenTransaction>> transaction = TRANSACTIONS ? OpenTransaction.current()
				: Mono.just(Optional.empty());
		return transaction.flatMapMany((around) -> Flux.deferContextual((context) -> {
			Inside outer = context.getOrDefault(Inside.class, null);
			ReactiveOwner owner = owner(request, outer, around);
			List<BodyEntry> entries = (outer != null) ? outer.entries() : List.of();
			return lease.acquire(this.registry, TemplateLease.request(request, owner.asOwner()))
				.doOnNext((held) -> around.ifPresent((open) -> open.keep(lease, owner)))
				.flatMapMany(
						(held) -> lease.enter(() -> lease.cancelWhenLost(Flux.from(action.apply(held)), held), entries)
							.contextWrite(Context.of(Inside.class, new Inside(held, owner, lease.entries(entries)))));
		})).concatWith(lease.complete());
	}

	/**
	 * With nothing around it enters its own locks only, as a plain object does, which the
	 * engine finds without asking.
	 */
	private static ReactiveOwner owner(LockRequest request, @Nullable Inside outer, Optional<OpenTransaction> around) {
		boolean alone = request.owner() == null && outer == null && around.isEmpty();
		return new ReactiveOwner(alone ? new Object() : request.owner(), (outer != null) ? outer.owner() : null,
				around.map(OpenTransaction::kept).orElse(Set.of()));
	}

	/** The entry of a guarded body in the Reactor context. */
	private record Inside(Lease lease, ReactiveOwner owner, List<BodyEntry> entries) {
	}

}
