package io.distributedlock;

import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Runs code under locks of a {@link LockRegistry}. Thread-safe.
 * <p>
 * The exception of the code always wins: a failure of the release is added to it as
 * suppressed. If a {@linkplain LockTransactions transaction} is open on the calling
 * thread at the acquisition, the lock is held and renewed until that transaction has
 * completed, by commit or rollback. It is checked once more before the commit.
 *
 * @since 0.1.0
 */
public class LockTemplate {

	private static final List<LockTransactions> TRANSACTIONS = ServiceLoader
		.load(LockTransactions.class, LockTemplate.class.getClassLoader())
		.stream()
		.map(ServiceLoader.Provider::get)
		.toList();

	private final LockRegistry registry;

	private final LockProfiles profiles;

	/**
	 * Create a template for a registry without configuration of its own.
	 * @param registry the registry of the locks
	 */
	public LockTemplate(LockRegistry registry) {
		this(registry, LockProfiles.DEFAULTS);
	}

	/**
	 * Create a template.
	 * @param registry the registry of the locks
	 * @param profiles the configuration of the registry; it decides which losses are
	 * ignored
	 */
	public LockTemplate(LockRegistry registry, LockProfiles profiles) {
		this.registry = registry;
		this.profiles = profiles;
	}

	/**
	 * Run under the lock, with the configured options. The calling thread owns the lock,
	 * so nested calls with the same key enter it again.
	 * @param key the key, not blank
	 * @param action the action
	 * @param <T> the type of the result
	 * @return the result of the action
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockLostException if the lease was lost while the action ran
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 */
	public <T extends @Nullable Object> T execute(String key, Supplier<T> action) {
		return this.<T, RuntimeException>execute(LockRequest.of(key), (lease) -> action.get());
	}

	/**
	 * Run under the lock, with the configured options and without a result.
	 * @param key the key, not blank
	 * @param action the action
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockLostException if the lease was lost while the action ran
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 */
	public void executeWithoutResult(String key, Runnable action) {
		executeWithoutResult(LockRequest.of(key), action);
	}

	/**
	 * Run under the lock without a result, as
	 * {@link #execute(LockRequest, LockedCallback)} does. Inside, {@link Lease#current()}
	 * is the lease.
	 * @param request the request
	 * @param action the action
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockLostException if the lease was lost while the action ran
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 */
	public void executeWithoutResult(LockRequest request, Runnable action) {
		this.<Boolean, RuntimeException>execute(request, (lease) -> {
			action.run();
			return true;
		});
	}

	/**
	 * Run under the lock. The calling thread owns the lock unless the request has another
	 * owner. If a transaction is open, the lock is held and renewed until it has
	 * completed. The transaction rolls back with {@link LockLostException} if the lease
	 * was lost before the commit.
	 * @param request the request
	 * @param action the action
	 * @param <T> the type of the result
	 * @param <E> the type of the action's failure; it wins over a failure of the release
	 * @return the result of the action
	 * @throws E if the action fails
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockLostException if the lease was lost while the action ran
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 * @throws IllegalStateException if the result is a future that is still pending: the
	 * lock would not guard it, {@link #executeAsync} does. Other results whose work
	 * starts later, such as a stream or a sequence, are not recognised here
	 */
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> action)
			throws E {
		LeaseScope scope = enter(request);
		T result = scope.run(action);
		scope.complete();
		if (result instanceof Future<?> future && !future.isDone()) {
			throw new IllegalStateException(
					("The result under lock %s is a future that is still pending, and the lock is "
							+ "released: use executeAsync, or declare CompletableFuture as the guarded method's result")
						.formatted(request.keys()));
		}
		return result;
	}

	/**
	 * Run under the lock until the returned stage has completed. The calling thread waits
	 * for the lock. If the stage is still pending when the action returns, that thread
	 * stops being the owner.
	 * <p>
	 * Cancelling the result never frees the lock by itself: the lock stays held until the
	 * action's stage has completed. A plain {@link CompletableFuture} goes on to its end,
	 * since cancelling it does not stop the code behind it;
	 * {@link CompletableFuture#supplyAsync} and dependent stages give such a stage. A
	 * stage of any other class, such as that of an HTTP client, is cancelled. If it
	 * completes while its code still runs, the lock is free from then on.
	 * <p>
	 * Code that the action hands to other threads runs under the lock, but does not
	 * belong to it by itself: {@link Lease#current()} is empty there, and a transaction
	 * that begins there commits in spite of a lost lease. {@link Lease#wrap} carries both
	 * over.
	 * @param request the request
	 * @param action the action
	 * @param <T> the type of the result
	 * @param <E> the type of a failure of the action before it has a stage
	 * @return completes after the release, as the action's stage did, or with
	 * {@link LockLostException} if the lease was lost
	 * @throws E if the action fails before it has a stage
	 */
	public <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(LockRequest request,
			LockedCallback<? extends CompletionStage<T>, E> action) throws E {
		LeaseScope scope = enter(request);
		return GuardedStage.of(scope, scope.run(action));
	}

	private LeaseScope enter(LockRequest request) {
		Object owner = request.owner();
		LockRequest owned = (owner != null && request.isOfTemplate()) ? request
				: request.ofTemplate((owner != null) ? owner : Thread.currentThread());
		Lease lease = TemplateLease.required(this.registry.acquire(owned), owned);
		LockTransactions open = openTransactions();
		if (open == null) {
			return new LeaseScope(lease, () -> toleratesLoss(owned));
		}
		try {
			return TransactionalLeaseScope.open(lease, () -> toleratesLoss(owned), open);
		}
		catch (RuntimeException | Error ex) {
			Losses.suppress(ex, new LeaseScope(lease, () -> true).endQuietly());
			throw ex;
		}
	}

	private static @Nullable LockTransactions openTransactions() {
		for (LockTransactions transactions : TRANSACTIONS) {
			if (transactions.isOpen()) {
				return transactions;
			}
		}
		return null;
	}

	private boolean toleratesLoss(LockRequest request) {
		return this.profiles.resolve(request.name(), request.options()).whenLost() == WhenLost.IGNORE;
	}

}
