package io.distributedlock.history;

import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;

import io.distributedlock.history.Event.Op;

/**
 * C10: a holder whose lock the store has certainly forgotten is notified by the answer to
 * the next renewal, or as its validity ends, unless it releases the lock before. A
 * process that is stopped is notified when it runs again, one that is cut off when its
 * validity ends.
 */
final class DetectionRule extends Rule {

	private final Bounds bounds;

	private final Faults faults;

	private final PriorityQueue<Due> dues = new PriorityQueue<>(Comparator.comparingLong((due) -> due.t));

	/** Leases whose loss was notified too late, or never. */
	private final Set<HeldLease> silent = new HashSet<>();

	DetectionRule(Findings findings, Bounds bounds, Faults faults) {
		super(RuleName.C10_DETECTION, findings);
		this.bounds = bounds;
		this.faults = faults;
	}

	/**
	 * The store has forgotten: every holder from before that still has the lock is due.
	 */
	void forgotten(FaultWindow loss, Iterable<LockState> states) {
		for (LockState state : states) {
			if (loss.hits(state.key)) {
				for (HeldLease lease : state.leases()) {
					if (lease.acquired.t() < loss.begin.t() && lease.believes(loss.end)) {
						add(new Due(lease, lease, loss), loss.end);
					}
				}
			}
		}
	}

	/**
	 * Return whether two holders may both believe that they have the lock because the
	 * store has forgotten one of them. If it was not certain that it has, or one got the
	 * lock by a hand-off after that, one of the two is due to be told.
	 * @param event the event that made both believe it
	 */
	boolean isExcused(HeldLease first, HeldLease second, Event event) {
		long sent = Math.min(first.askedAt(), second.askedAt());
		FaultWindow window = this.faults.forgetting(event.key(), sent, event.t());
		if (window != null) {
			this.findings.doubleBeliefs++;
			if (window.kind != NemesisKind.LOSS || first.acquired.t() > window.end) {
				add(new Due(first, second, window), event.t());
			}
		}
		return window != null;
	}

	/**
	 * Return whether a belief after a larger token may come from a lease that the store
	 * has forgotten.
	 */
	boolean isExcused(HeldLease first, Event later) {
		boolean excused = this.faults.forgetting(later.key(), first.askedAt(), later.t()) != null;
		this.findings.doubleBeliefs += excused ? 1 : 0;
		return excused;
	}

	private void add(Due due, long now) {
		due.t = dueAt(due, now);
		this.dues.add(due);
	}

	/** The latest time at which the holder must be notified, as far as is known now. */
	private long dueAt(Due due, long now) {
		if (due.loss.end == Long.MAX_VALUE) {
			return now + this.bounds.slackNanos();
		}
		return Math.max(dueAt(due.lease, due.loss, now), dueAt(due.other, due.loss, now));
	}

	private long dueAt(HeldLease lease, FaultWindow loss, long now) {
		String proc = lease.acquired.proc();
		long running = this.faults.runningSince(proc);
		if (running == Long.MAX_VALUE) {
			return now + this.bounds.slackNanos();
		}
		long reached = this.faults.reachedSince(proc, lease.acquired.key());
		long validity = this.bounds.renewals() ? lease.validUntil() : Long.MAX_VALUE - this.bounds.slackNanos();
		// As long as it is cut off it cannot be said when; it is looked at again.
		long asked = (reached == Long.MAX_VALUE) ? now : Math.max(loss.end, reached);
		long renewal = asked + this.bounds.detectionNanos();
		return Math.max(running, Math.min(validity, renewal)) + this.bounds.slackNanos();
	}

	/** Time goes on to that of the next event. */
	void advance(long t) {
		while (!this.dues.isEmpty() && this.dues.peek().t < t) {
			Due due = this.dues.poll();
			if (due.lease.hasEnded() || due.other.hasEnded()) {
				continue;
			}
			long later = dueAt(due, t);
			if (later > due.t) {
				due.t = later;
				this.dues.add(due);
			}
			else {
				violation(due.lease.acquired.key(),
						"%s was not told of its loss in time".formatted(due.lease.id.request()), due.lease.acquired,
						due.loss.begin);
				this.silent.add(due.lease);
				this.findings.silentLosses++;
			}
		}
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (event.op() == Op.LOST && !this.silent.isEmpty() && this.silent.remove(lease)) {
			this.findings.silentLosses--;
		}
	}

	@Override
	int retained() {
		return this.dues.size() + this.silent.size();
	}

	private static final class Due {

		private final HeldLease lease;

		/** The other lease, if either may be due; the same one if it is certain which. */
		private final HeldLease other;

		private final FaultWindow loss;

		private long t;

		private Due(HeldLease lease, HeldLease other, FaultWindow loss) {
			this.lease = lease;
			this.other = other;
			this.loss = loss;
		}

	}

}
