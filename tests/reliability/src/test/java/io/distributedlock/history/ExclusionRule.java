package io.distributedlock.history;

/**
 * C1: no two holders believe at the same time. More than overlapping beliefs is refused:
 * a lease was held from before the first larger token was given, even if its holder
 * learned of it later, so a belief in a lease with a smaller token than one that was
 * already given is an overlap as well.
 */
final class ExclusionRule extends Rule {

	private final DetectionRule detection;

	ExclusionRule(Findings findings, DetectionRule detection) {
		super(RuleName.C1_EXCLUSION, findings);
		this.detection = detection;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (!isBegin(event, lease) || !lease.id.mode().isExclusive() || overlapping(event, state, lease)
				|| !lease.believes(event.t())) {
			return;
		}
		boolean grant = isGrant(event, lease);
		long highest = grant ? lease.highestBefore : state.highest();
		if (lease.id.token() < highest) {
			Event later = grant ? lease.highestGrantBefore : state.highestGrant();
			if (!this.detection.isExcused(lease, later)) {
				report(lease,
						"believes to hold it, although the larger token %d was given before".formatted(later.token()),
						later, event);
			}
		}
	}

	private boolean overlapping(Event event, LockState state, HeldLease lease) {
		boolean found = false;
		for (HeldLease other : state.leases()) {
			if (other == lease || !other.id.mode().isExclusive() || !other.believes(event.t())) {
				continue;
			}
			if (lease.believes(event.t()) || other.id.token() < lease.id.token()) {
				boolean first = other.id.token() <= lease.id.token();
				if (!this.detection.isExcused(first ? other : lease, first ? lease : other, event)) {
					report(first ? other : lease,
							"is believed to be held by two, the other with token " + lease.id.token(), other.acquired,
							event);
				}
				found = true;
			}
		}
		return found;
	}

	private void report(HeldLease first, String what, Event... events) {
		violation(first.acquired.key(), "%s with token %d %s".formatted(first.id.request(), first.id.token(), what),
				events);
	}

}
