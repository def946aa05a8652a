package io.distributedlock.history;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C4: no lock stays free for longer than the poll interval while a waiter is able to act.
 * A lock is free as soon as the store can no longer have a holder: at the answer to the
 * release, at the end of a validity that no renewal can have prolonged, or a lease after
 * the death of a holder or of a request that may have been granted.
 */
final class BoundedWaitRule extends Rule {

	private final Bounds bounds;

	private final Faults faults;

	private final Iterable<LockState> states;

	BoundedWaitRule(Findings findings, Bounds bounds, Faults faults, Iterable<LockState> states) {
		super(RuleName.C4_BOUNDED_WAIT, findings);
		this.bounds = bounds;
		this.faults = faults;
		this.states = states;
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		PendingRequest settled = state.settled();
		if (event.op() != Op.ACQUIRE || event.phase() == Phase.INVOKE || settled == null) {
			return;
		}
		Occupancy occupancy = new Occupancy(state, this.faults, isGrant(event, lease) ? lease : null);
		check(event, state, settled, occupancy.taken());
		if (event.mode() == Mode.R) {
			checkOne(event, settled, occupancy.closed(), "could have read for %d ms");
		}
		else if (event.mode() == Mode.S && settled.invoked().val() > 0) {
			checkOne(event, settled, occupancy.full(settled.invoked().val()), "could have had a permit for %d ms");
		}
		if (event.phase() == Phase.FAIL && !wasAble(settled, event.t())) {
			// A refusal in an outage may be the answer to a request that was granted.
			state.mayBeGranted(event);
		}
	}

	private boolean wasAble(PendingRequest request, long t) {
		long able = this.faults.ableSince(request.invoked());
		return able <= request.invoked().t() && able <= t;
	}

	@Override
	void finish(Event last) {
		this.states.forEach((state) -> check(last, state, null, new Occupancy(state, this.faults, null).taken()));
	}

	/** Check that the lock was not free for too long while any request waited. */
	private void check(Event event, LockState state, PendingRequest settled, long free) {
		if (free >= event.t()) {
			return;
		}
		PendingRequest waiter = settled;
		long since = (settled != null) ? ableSince(settled) : event.t();
		for (PendingRequest request : state.pending()) {
			if (request.invoked().t() >= since) {
				break;
			}
			long able = ableSince(request);
			if (able < since) {
				since = able;
				waiter = request;
			}
		}
		check(event, waiter, event.t() - Math.max(free, since), "was free for %d ms");
	}

	/** Check that the lock was not open to this request for too long. */
	private void checkOne(Event event, PendingRequest waiter, long free, String what) {
		check(event, waiter, event.t() - Math.max(free, ableSince(waiter)), what);
	}

	private void check(Event event, PendingRequest waiter, long gap, String what) {
		if (gap > 0) {
			this.findings.gap(gap);
		}
		if (gap > this.bounds.waitNanos()) {
			violation(waiter.invoked().key(),
					what.formatted(gap / 1_000_000) + " while %s waited".formatted(waiter.invoked().request()),
					waiter.invoked(), event);
		}
	}

	/** Never for one of several: whether the others are free is not known here. */
	private long ableSince(PendingRequest request) {
		return request.isOneOfSeveral() ? Long.MAX_VALUE
				: Math.max(request.invoked().t(), this.faults.ableSince(request.invoked()));
	}

}
