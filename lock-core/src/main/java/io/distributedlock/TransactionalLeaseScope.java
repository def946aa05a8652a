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
		RuntimeException loss = noteLoss();
		boolean last = this.open.decrementAndGet() == 0;
		if (last || loss != null) {
			super.end();
		}
		if (loss != null) {
			throw loss;
		}
	}

	@Override
	CompletionStage<Void> endAsync() {
		boolean lost = noteLoss() != null;
		boolean last = this.open.decrementAndGet() == 0;
		return (last || lost) ? super.endAsync() : CompletableFuture.completedFuture(null);
	}

	/**
	 * Note a loss before the other party, the body or the transaction, can close the
	 * lease. A lost lease is closed at once, which clears its interrupt, but the loss is
	 * remembered for the commit. A party that finds the lease closed for that reason
	 * finds the loss, too.
	 */
	private @Nullable RuntimeException noteLoss() {
		try {
			checkHeld();
		}
		catch (RuntimeException ex) {
			if (this.loss == null) {
				this.loss = ex;
			}
		}
		return this.loss;
	}

	@Override
	public void beforeCommit() {
		RuntimeException found = noteLoss();
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
