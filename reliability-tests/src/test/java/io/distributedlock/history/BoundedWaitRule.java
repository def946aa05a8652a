package io.distributedlock.history;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C4: no lock stays free for longer than the poll interval while somebody waits who is
 * able to act. A lock is free from the moment on where the store cannot have it any more:
 * the answer to the release, the end of a validity that nobody can have prolonged, the
 * lease after the death of a holder, or of somebody who may have been granted it.
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
		if (event.op() != Op.ACQUIRE || event.phase() == Phase.INVOKE || state.settled() == null) {
			return;
		}
		check(event, state, state.settled(), isGrant(event, lease) ? lease : null);
		if (event.phase() == Phase.FAIL && !wasAble(state.settled(), event.t())) {
			// A refusal in an outage may be the answer to a request that was granted.
			state.ghosts().put(event.request(), event.t() + this.bounds.leaseNanos() + this.bounds.commandNanos());
		}
	}

	private boolean wasAble(PendingRequest request, long t) {
		long able = this.faults.ableSince(request.invoked().proc());
		return able <= request.invoked().t() && able <= t;
	}

	@Override
	void finish(Event last) {
		this.states.forEach((state) -> check(last, state, null, null));
	}

	private void check(Event event, LockState state, PendingRequest settled, HeldLease granted) {
		long free = state.takenUntilWithout(granted);
		if (free >= event.t()) {
			return;
		}
		Event waiter = (settled != null) ? settled.invoked() : null;
		long since = (settled != null) ? ableSince(settled) : event.t();
		for (PendingRequest request : state.pending()) {
			if (request.invoked().t() >= since) {
				break;
			}
			long able = ableSince(request);
			if (able < since) {
				since = able;
				waiter = request.invoked();
			}
		}
		long gap = event.t() - Math.max(free, since);
		if (gap > 0) {
			this.findings.gap(gap);
		}
		if (gap > this.bounds.waitNanos()) {
			violation(state.key, "was free for %d ms while %s waited".formatted(gap / 1_000_000, waiter.request()),
					waiter, event);
		}
	}

	private long ableSince(PendingRequest request) {
		return Math.max(request.invoked().t(), this.faults.ableSince(request.invoked().proc()));
	}

}
