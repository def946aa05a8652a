package io.distributedlock.history;

import io.distributedlock.history.Event.Mode;

/** C8: those who believe hold no more permits together than the semaphore has. */
final class SemaphoreRule extends Rule {

	private final Faults faults;

	SemaphoreRule(Findings findings, Faults faults) {
		super(RuleName.C8_SEMAPHORE, findings);
		this.faults = faults;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (!isBegin(event, lease) || lease.id.mode() != Mode.S || !lease.believes(event.t())) {
			return;
		}
		long taken = 0;
		long forgotten = 0;
		for (HeldLease holder : state.leases()) {
			if (holder.id.mode() == Mode.S && holder.believes(event.t())) {
				taken += holder.acquired.permits();
				boolean maybe = this.faults.forgetting(event.key(), holder.invoked.t(), event.t()) != null;
				forgotten += maybe ? holder.acquired.permits() : 0;
			}
		}
		long limit = lease.acquired.val();
		if (taken - forgotten > limit) {
			violation(event.key(), "%d permits are out, of %d".formatted(taken, limit), event);
		}
		else if (taken > limit) {
			this.findings.doubleBeliefs++;
		}
	}

}
