package io.distributedlock.history;

import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;

import io.distributedlock.history.Event.Op;

/**
 * C10: a holder whose lock the store has certainly forgotten is told by the next renewal
 * and its answer, or as its validity ends, or gives the lock back before. A process that
 * is stopped is told when it runs again, one that is cut off when its validity ends.
 */
final class DetectionRule extends Rule {

	private final Bounds bounds;

	private final Faults faults;

	private final PriorityQueue<Due> dues = new PriorityQueue<>(Comparator.comparingLong((due) -> due.t));

	/** Told too late, if ever. */
	private final Set<HeldLease> silent = new HashSet<>();

	DetectionRule(Findings findings, Bounds bounds, Faults faults) {
		super(RuleName.C10_DETECTION, findings);
		this.bounds = bounds;
		this.faults = faults;
	}

	/**
	 * The store has forgotten: whoever had the lock from before and still has it is due.
	 */
	void forgotten(Faults.Window loss, Iterable<LockState> states) {
		for (LockState state : states) {
			if (loss.hits(state.key)) {
				for (HeldLease lease : state.leases()) {
					if (lease.acquired.t() < loss.begin.t() && lease.believes(loss.end)) {
						Due due = new Due(lease, loss);
						due.t = dueAt(due, loss.end);
						this.dues.add(due);
					}
				}
			}
		}
	}

	/** When the holder has to know at the latest, as far as is known now. */
	private long dueAt(Due due, long now) {
		String proc = due.lease.acquired.proc();
		long running = this.faults.runningSince(proc);
		if (running == Long.MAX_VALUE) {
			return now + this.bounds.slackNanos();
		}
		long reached = this.faults.reachedSince(proc);
		long validity = this.bounds.renewals() ? due.lease.validUntil() : Long.MAX_VALUE - this.bounds.slackNanos();
		// As long as it is cut off it cannot be said when; it is looked at again.
		long asked = (reached == Long.MAX_VALUE) ? now : Math.max(due.loss.end, reached);
		long renewal = asked + this.bounds.detectionNanos();
		return Math.max(running, Math.min(validity, renewal)) + this.bounds.slackNanos();
	}

	/** Time goes on to that of the next event. */
	void advance(long t) {
		while (!this.dues.isEmpty() && this.dues.peek().t < t) {
			Due due = this.dues.poll();
			if (due.lease.hasEnded()) {
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

		private final Faults.Window loss;

		private long t;

		private Due(HeldLease lease, Faults.Window loss) {
			this.lease = lease;
			this.loss = loss;
		}

	}

}
