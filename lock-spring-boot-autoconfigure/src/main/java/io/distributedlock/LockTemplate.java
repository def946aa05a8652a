package io.distributedlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Runs code under locks of a {@link LockRegistry}. Thread-safe.
 * <p>
 * The exception of the code always wins: a failure of the release is added to it as
 * suppressed. If a transaction is open on the calling thread when the lock is acquired,
 * the lock is kept and renewed until that transaction has completed, by commit or
 * rollback, and checked once more before the commit.
 *
 * @since 0.1.0
 */
public class LockTemplate implements LockOperations {

	private static final boolean TRANSACTIONS = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			LockTemplate.class.getClassLoader());

	private final LockRegistry registry;

	private final LockProfiles profiles;

	/**
	 * Create a template for a registry without configuration of its own.
	 * @param registry where the locks come from
	 */
	public LockTemplate(LockRegistry registry) {
		this(registry, LockProfiles.DEFAULTS);
	}

	/**
	 * Create a template.
	 * @param registry where the locks come from
	 * @param profiles the configuration of the registry; it decides whether a loss is
	 * ignored
	 */
	public LockTemplate(LockRegistry registry, LockProfiles profiles) {
		this.registry = registry;
		this.profiles = profiles;
	}

	@Override
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

	@Override
	public <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(LockRequest request,
			LockedCallback<? extends CompletionStage<T>, E> action) throws E {
		LeaseScope scope = enter(request);
		return GuardedStage.of(scope, scope.run(action));
	}

	private LeaseScope enter(LockRequest request) {
		LockRequest owned = (request.owner() != null) ? request : request.ownedByCurrentThread();
		Lease lease = this.registry.acquire(owned);
		if (!TRANSACTIONS || !TransactionalLeaseScope.isTransactionOpen()) {
			return new LeaseScope(lease, () -> toleratesLoss(owned));
		}
		try {
			return TransactionalLeaseScope.open(lease, () -> toleratesLoss(owned));
		}
		catch (RuntimeException | Error ex) {
			Losses.suppress(ex, new LeaseScope(lease, () -> true).endQuietly());
			throw ex;
		}
	}

	private boolean toleratesLoss(LockRequest request) {
		return this.profiles.resolve(request.name(), request.options()).whenLost() == WhenLost.IGNORE;
	}

}
