package io.distributedlock.history;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * Counts the holders who were told of a loss, or at the release that the lock was not
 * theirs, within the validity of their lease and although no store or node can have
 * forgotten it. A fault of a connection excuses nothing in this.
 */
final class FalseLossRule extends Rule {

	private final Faults faults;

	FalseLossRule(Findings findings, Faults faults) {
		super(RuleName.C10_DETECTION, findings);
		this.faults = faults;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		boolean told = event.op() == Op.LOST || event.is(Op.RELEASE, Phase.FAIL);
		if (told && lease != null && !lease.toldFalsely && event.t() < lease.validUntil()
				&& !this.faults.mayHaveLost(event.key(), lease.invoked.t(), event.t())) {
			lease.toldFalsely = true;
			this.findings.falseLosses++;
		}
	}

}
