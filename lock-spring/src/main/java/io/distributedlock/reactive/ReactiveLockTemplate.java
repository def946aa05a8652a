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
 * renewed until that transaction has completed. It is checked once more before the
 * commit: a transaction whose lock was lost rolls back with
 * {@link io.distributedlock.LockLostException}. A transaction that the body begins itself
 * may commit after the loss, because Spring has no way to register with it from outside.
 * The loss is then reported when the body has completed. {@link WhenLost#INTERRUPT}
 * narrows that gap, since it cancels the body at once and so rolls its transaction back.
 * Only a fencing token closes it.
 * <p>
 * A cancellation of the subscription cancels the body and then releases the lock. The
 * release waits for code of the body that runs in the thread that subscribes to it, or to
 * a guarded body inside it. Code that the body started elsewhere, and that the
 * cancellation does not stop, runs on without the lock, unless
 * {@link #executeMany(LockRequest, Function, Supplier)} waits for its end.
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
	 * @param registry the registry of the locks
	 */
	public ReactiveLockTemplate(LockRegistry registry) {
		this(registry, LockProfiles.DEFAULTS);
	}

	/**
	 * Create a template that continues on the parallel scheduler once a lock is acquired
	 * or released, as the timed operators of Reactor do.
	 * @param registry the registry of the locks
	 * @param profiles the configuration of the registry; it sets the reaction to a loss
	 */
	public ReactiveLockTemplate(LockRegistry registry, LockProfiles profiles) {
		this(registry, profiles, Schedulers.parallel());
	}

	/**
	 * Create a template.
	 * @param registry the registry of the locks
	 * @param profiles the configuration of the registry; it sets the reaction to a loss
	 * @param scheduler the scheduler on which sequences continue once a lock is acquired
	 * or released
	 */
	public ReactiveLockTemplate(LockRegistry registry, LockProfiles profiles, Scheduler scheduler) {
		this.registry = registry;
		this.profiles = profiles;
		this.scheduler = scheduler;
	}

	/**
	 * The lease of the innermost guarded body around the subscriber. It travels in the
	 * Reactor context, so it follows the body to other threads. {@link Lease#current()}
	 * does not, since that belongs to a thread.
	 * @return the lease, or empty outside a guarded body
	 */
	public static Mono<Lease> currentLease() {
		return Mono.deferContextual((context) -> Mono.justOrEmpty(context.<Inside>getOrEmpty(Inside.class)))
			.map(Inside::lease);
	}

	/**
	 * Put a sequence under a lock, with the configured options.
	 * @param key the key, not blank
	 * @param body the sequence to subscribe to when the lock is held
	 * @param <T> the type of the result
	 * @return the guarded sequence, as {@link #execute(LockRequest, Function)} describes
	 */
	public <T> Mono<T> execute(String key, Mono<T> body) {
		return execute(LockRequest.of(key), (lease) -> body);
	}

	/**
	 * Put a sequence under a lock. Each subscription waits for the lock, without blocking
	 * a thread, then for the body, then for the release. A cancelled wait leaves nothing
	 * behind. A subscription made inside the body enters the locks of the subscriptions
	 * around it again. The Reactor context identifies them, not the thread.
	 * <p>
	 * Fails as the body does, which always wins. Otherwise fails with
	 * {@link LockNotAcquiredException} if the lock stayed taken for the whole budget,
	 * {@link LockStoreException} if the store could not be asked, or
	 * {@link LockLostException} if the lease was lost. The loss is reported after the
	 * body; with {@link WhenLost#INTERRUPT} at once, with the body cancelled; with
	 * {@link WhenLost#IGNORE} not at all.
	 * @param request the keys to lock, and the options
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
	 * kept until the sequence has ended, so a slow subscriber holds it long.
	 * @param request the keys to lock, and the options
	 * @param action makes the body, for each subscription
	 * @param <T> the type of the elements
	 * @return the guarded sequence; it completes after the release
	 */
	public <T> Flux<T> executeMany(LockRequest request, Function<? super Lease, ? extends Publisher<T>> action) {
		return executeMany(request, action, Mono::empty);
	}

	/**
	 * Put a sequence under a lock, and keep the lock for code of the body in other
	 * threads. It is kept until that code has ended, where the end of the sequence does
	 * not stop the code at once.
	 * @param request the keys to lock, and the options
	 * @param action makes the body, for each subscription
	 * @param elsewhere called once the body has failed or was cancelled; the lock is not
	 * released before its {@code Mono} has ended, unless the lock is lost
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

	/**
	 * Make the guarded sequence. It includes the release, whose failure is not wrapped
	 * then.
	 */
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
	 * The owner of a subscription. Outside other bodies and transactions, it is a plain
	 * object and enters its own locks only: the engine finds these without a call of
	 * {@link ReactiveOwner#enters}.
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
