package io.distributedlock.engine;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request for several keys for which the calling thread blocks: the keys are taken
 * together, or one after the other.
 */
final class BlockingAcquisition {

	private final Engine engine;

	private final LockRequest request;

	private final LockTerms terms;

	private final boolean interruptible;

	BlockingAcquisition(Engine engine, LockRequest request, LockTerms terms, boolean interruptible) {
		this.engine = engine;
		this.request = request;
		this.terms = terms;
		this.interruptible = interruptible;
	}

	Lease acquire(WaitBudget budget) throws InterruptedException {
		Lease acquired = null;
		while (acquired == null) {
			try {
				acquired = acquireParts(budget);
			}
			catch (SetDividedException ignored) {
				// The keys that the owner has by now are entered again.
			}
		}
		return acquired;
	}

	/** Acquire all parts, or {@code null} if one was lost behind another. */
	private @Nullable Lease acquireParts(WaitBudget budget) throws InterruptedException {
		CompositeLease.Builder taken = new CompositeLease.Builder();
		try {
			WaitBudget left = budget;
			for (LockKeys part : this.engine.queues.reentrance.split(this.request, this.terms)) {
				GrantLease lease = acquire(part, left);
				taken.add(lease);
				left = lease.leftOf(left);
			}
			GrantLease lost = taken.lost();
			if (lost == null) {
				return taken.build();
			}
			if (budget.isOnce()) {
				throw Failure.tooLate(this.engine.instance.store, lost.grant().keys());
			}
		}
		catch (Throwable ex) {
			taken.rollBack().join();
			throw ex;
		}
		taken.rollBack().join();
		return null;
	}

	private GrantLease acquire(LockKeys part, WaitBudget left) throws InterruptedException {
		Waiter waiter = new Waiter(this.engine.instance, part, this.terms, this.request.owner(), left, null);
		return this.engine.queues.acquire(waiter, this.interruptible);
	}

}
