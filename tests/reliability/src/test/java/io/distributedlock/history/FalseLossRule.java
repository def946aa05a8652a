package io.distributedlock.history;

import io.distributedlock.LossReason;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C10: a holder is told of a loss, or at the release that the lock was not its, only if
 * its lease is over or a store may have forgotten it. A fault of a connection excuses
 * nothing in this. A lock that a process gives up as it ends is no such loss.
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
		if (told && lease != null && !lease.lossJudged && event.t() < lease.validUntil()
				&& !isExcused(event, lease.askedAt())) {
			lease.lossJudged = true;
			if (!event.outcome().startsWith(LossReason.SHUTDOWN.name())) {
				this.findings.falseLosses++;
				violation(event.key(), "%s was told of a loss that cannot have been".formatted(lease.id.request()),
						lease.acquired, event);
			}
		}
	}

	/** A lease of several locks is lost with any of them. */
	private boolean isExcused(Event event, long sent) {
		boolean several = event.outcome().endsWith(Hold.OF_SEVERAL);
		return several ? this.faults.mayHaveLostAny(sent, event.t())
				: this.faults.mayHaveLost(event.key(), sent, event.t());
	}

}
