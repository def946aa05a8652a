package io.distributedlock.history;

import io.distributedlock.history.Event.Mode;

/**
 * C1: no two holders believe at the same time. More than overlapping beliefs is refused:
 * a lease was held from before the first larger token was given, even if its holder
 * learned of it later, so a belief in a lease with a smaller token than somebody had
 * already been given is an overlap as well.
 */
final class ExclusionRule extends Rule {

	private final Faults faults;

	ExclusionRule(Findings findings, Faults faults) {
		super(RuleName.C1_EXCLUSION, findings);
		this.faults = faults;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (!isBegin(event, lease) || lease.id.mode() != Mode.X || overlapping(event, state, lease)
				|| !lease.believes(event.t())) {
			return;
		}
		boolean grant = isGrant(event, lease);
		long highest = grant ? lease.highestBefore : state.highest();
		if (lease.id.token() < highest) {
			Event later = grant ? lease.highestGrantBefore : state.highestGrant();
			report(lease, later,
					"believes to hold it, although the larger token %d was given before".formatted(later.token()),
					later, event);
		}
	}

	private boolean overlapping(Event event, LockState state, HeldLease lease) {
		boolean found = false;
		for (HeldLease other : state.leases()) {
			if (other == lease || other.id.mode() != Mode.X || !other.believes(event.t())) {
				continue;
			}
			if (lease.believes(event.t()) || other.id.token() < lease.id.token()) {
				boolean first = other.id.token() <= lease.id.token();
				report(first ? other : lease, (first ? lease : other).acquired,
						"is believed to be held by two, the other with token " + lease.id.token(), other.acquired,
						event);
				found = true;
			}
		}
		return found;
	}

	/** Two who believe because the store has forgotten the first are not its fault. */
	private void report(HeldLease first, Event second, String what, Event... events) {
		if (this.faults.mayHaveForgotten(second.key(), first.invoked.t(), second.t())) {
			this.findings.doubleBeliefs++;
			return;
		}
		violation(second.key(), "%s with token %d %s".formatted(first.id.request(), first.id.token(), what), events);
	}

}
