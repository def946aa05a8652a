package io.distributedlock.history;

import java.util.HashSet;
import java.util.Set;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C6: sections are entered only while the lease is held and left as often as they were
 * entered, and the lease is released after the outermost one.
 */
final class ReentranceRule extends Rule {

	private final Iterable<LockState> states;

	/** Leases whose outermost section has ended, in locks that are otherwise quiet. */
	private final Set<HeldLease> left = new HashSet<>();

	ReentranceRule(Findings findings, Iterable<LockState> states) {
		super(RuleName.C6_REENTRANCE, findings);
		this.states = states;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (event.op() == Op.ENTER || event.op() == Op.EXIT) {
			if (lease == null || lease.isClosed()) {
				violation(event.key(), "%s is inside without a lease".formatted(event.request()), event);
			}
			else if (event.op() == Op.ENTER) {
				enter(lease);
			}
			else {
				exit(event, lease);
			}
		}
		else if (event.is(Op.RELEASE, Phase.INVOKE) && lease != null) {
			release(event, lease);
		}
	}

	private void enter(HeldLease lease) {
		lease.depth++;
		this.left.remove(lease);
	}

	private void exit(Event event, HeldLease lease) {
		lease.depth--;
		if (lease.depth < 0) {
			violation(event.key(), "%s has left more often than it entered".formatted(event.request()), lease.acquired,
					event);
		}
		if (lease.depth == 0) {
			this.left.add(lease);
		}
	}

	private void release(Event event, HeldLease lease) {
		this.left.remove(lease);
		if (lease.depth > 0) {
			violation(event.key(), "%s releases the lock %d sections too early".formatted(event.request(), lease.depth),
					lease.acquired, event);
		}
	}

	@Override
	void finish(Event last) {
		for (LockState state : this.states) {
			for (HeldLease lease : state.leases()) {
				if (this.left.contains(lease) && !lease.hasEnded()) {
					violation(state.key, "%s has left the outermost section and never releases the lock"
						.formatted(lease.id.request()), lease.acquired);
				}
			}
		}
	}

	@Override
	int retained() {
		return this.left.size();
	}

}
