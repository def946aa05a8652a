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
		check(event.t(), state, isGrant(event, lease) ? lease : null, event);
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
	void finish(long t) {
		this.states.forEach((state) -> check(t, state, null, null));
	}

	private void check(long t, LockState state, HeldLease granted, Event event) {
		long free = freeSince(state, granted);
		if (free >= t) {
			return;
		}
		Event waiter = null;
		long since = t;
		if (state.settled() != null) {
			since = ableSince(state.settled());
			waiter = state.settled().invoked();
		}
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
		report(t, state, Math.max(free, since), waiter, event);
	}

	private void report(long t, LockState state, long from, Event waiter, Event event) {
		if (from >= t) {
			return;
		}
		this.findings.gap(t - from);
		if (t - from > this.bounds.waitNanos()) {
			violation(state.key, "was free for %d ms while %s waited".formatted((t - from) / 1_000_000,
					waiter.request()), (event != null) ? new Event[] { waiter, event } : new Event[] { waiter });
		}
	}

	private long ableSince(PendingRequest request) {
		return Math.max(request.invoked().t(), this.faults.ableSince(request.invoked().proc()));
	}

	private long freeSince(LockState state, HeldLease granted) {
		long free = state.lastTaken();
		for (HeldLease lease : state.leases()) {
			free = (lease != granted) ? Math.max(free, lease.takenUntil(this.bounds)) : free;
		}
		for (long until : state.ghosts().values()) {
			free = Math.max(free, until);
		}
		for (PendingRequest request : state.pending()) {
			free = Math.max(free, this.faults.mayHoldUntil(request.invoked()));
		}
		return free;
	}

}
