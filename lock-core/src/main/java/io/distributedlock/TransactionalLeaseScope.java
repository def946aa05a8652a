package io.distributedlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * A scope whose lease ends after both the body and the transaction that was open when the
 * lock was taken. Until the commit, other callers cannot see the writes of the body.
 */
final class TransactionalLeaseScope extends LeaseScope implements LockTransactions.Participant {

	private static final LockLog logger = LockLog.of(TransactionalLeaseScope.class);

	private final AtomicInteger open = new AtomicInteger(2);

	private volatile @Nullable RuntimeException loss;

	/** Set when the lease was checked for the commit, unless its loss was known. */
	private volatile boolean committing;

	private TransactionalLeaseScope(Lease lease, BooleanSupplier toleratesLoss) {
		super(lease, toleratesLoss);
	}

	static LeaseScope open(Lease lease, BooleanSupplier toleratesLoss, LockTransactions transactions) {
		TransactionalLeaseScope scope = new TransactionalLeaseScope(lease, toleratesLoss);
		transactions.join(scope);
		return scope;
	}

	@Override
	void end() {
		RuntimeException loss = noteLoss(this::checkHeld);
		if (endsWithBody()) {
			super.end();
		}
		if (loss != null) {
			throw loss;
		}
	}

	@Override
	CompletionStage<Void> endAsync() {
		RuntimeException loss = noteLoss(this::checkHeld);
		if (endsWithBody()) {
			return super.endAsync();
		}
		return (loss != null) ? CompletableFuture.failedFuture(loss) : CompletableFuture.completedFuture(null);
	}

	private boolean endsWithBody() {
		boolean last = this.open.decrementAndGet() == 0;
		return last || (this.loss != null && !this.committing);
	}

	/**
	 * Note a loss before the other party, the body or the transaction, can close the
	 * lease. A lost lease is closed at once, which clears its interrupt, but the loss is
	 * remembered for the commit. A party that finds the lease closed for that reason
	 * finds the loss, too. Once the transaction commits, the store may keep the lock for
	 * it in spite of the loss, so the lease is closed after it.
	 */
	private @Nullable RuntimeException noteLoss(Runnable check) {
		try {
			check.run();
		}
		catch (RuntimeException ex) {
			note(ex);
		}
		return this.loss;
	}

	synchronized void note(RuntimeException failure) {
		if (this.loss == null) {
			this.loss = failure;
		}
	}

	@Nullable RuntimeException loss() {
		return this.loss;
	}

	/** Let the transaction commit after the check, unless a loss was noted before. */
	synchronized @Nullable RuntimeException commit() {
		this.committing = this.loss == null;
		return this.loss;
	}

	@Override
	public void beforeCommit() {
		noteLoss(this::checkCommit);
		RuntimeException found = commit();
		if (found != null) {
			throw found;
		}
	}

	@Override
	public void afterCompletion(boolean rolledBack) {
		if (this.open.decrementAndGet() > 0) {
			return;
		}
		try {
			super.end();
		}
		catch (LockLostException ex) {
			if (!rolledBack) {
				logger.warn("A transaction was completed although its lock was lost: " + ex.getMessage());
			}
		}
	}

}
