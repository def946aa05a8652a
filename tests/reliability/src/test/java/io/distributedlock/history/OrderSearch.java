package io.distributedlock.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Searches all orders of the events of one lock for one that real time allows and that a
 * single fenced lock could have produced: an acquisition needs the lock free and a token
 * larger than all before; the lock becomes free no earlier than its holder last believed;
 * a register takes a write unless it has seen a larger token.
 */
final class OrderSearch {

	private final List<Step> steps = new ArrayList<>();

	private final boolean[] done;

	OrderSearch(RandomHistory history) {
		for (RandomHistory.Acquisition acquisition : history.acquisitions) {
			Step acquire = new Step(acquisition.asked, acquisition.answered);
			acquire.token = acquisition.token;
			Step free = new Step(acquisition.lastBelief(), Long.MAX_VALUE);
			free.frees = acquire;
			this.steps.add(acquire);
			this.steps.add(free);
		}
		for (int i = 0; i < history.writes.size(); i++) {
			Step write = new Step(i, i);
			write.write = history.writes.get(i);
			this.steps.add(write);
		}
		this.done = new boolean[this.steps.size()];
	}

	boolean exists() {
		return exists(new State(null, Long.MIN_VALUE, 0, 0));
	}

	private boolean exists(State state) {
		boolean open = false;
		for (int i = 0; i < this.done.length; i++) {
			Step step = this.steps.get(i);
			if (this.done[i]) {
				continue;
			}
			open |= step.latest != Long.MAX_VALUE;
			State next = isFirst(step) ? state.after(step) : null;
			if (next != null) {
				this.done[i] = true;
				boolean found = exists(next);
				this.done[i] = false;
				if (found) {
					return true;
				}
			}
		}
		return !open;
	}

	/** Return whether no step that is left was certainly over before this one. */
	private boolean isFirst(Step step) {
		for (int i = 0; i < this.done.length; i++) {
			if (!this.done[i] && this.steps.get(i).latest < step.earliest) {
				return false;
			}
		}
		return true;
	}

	/** Something that took effect at one moment of an interval. */
	private static final class Step {

		private final long earliest;

		private final long latest;

		private long token;

		private Step frees;

		private RandomHistory.Write write;

		private Step(long earliest, long latest) {
			this.earliest = earliest;
			this.latest = latest;
		}

	}

	/** A fenced lock and a fenced register. */
	private record State(Step holder, long highest, long seen, long value) {

		private State after(Step step) {
			if (step.write != null) {
				return after(step.write);
			}
			if (step.frees != null) {
				return (this.holder == step.frees) ? new State(null, this.highest, this.seen, this.value) : null;
			}
			return (this.holder == null && step.token > this.highest)
					? new State(step, step.token, this.seen, this.value) : null;
		}

		private State after(RandomHistory.Write write) {
			if (write.accepted != (write.token >= this.seen)) {
				return null;
			}
			if (!write.accepted) {
				return this;
			}
			return (write.prev == this.value) ? new State(this.holder, this.highest, write.token, write.val) : null;
		}

	}

}
