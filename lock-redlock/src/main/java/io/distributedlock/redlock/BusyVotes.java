package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Refused;

/**
 * The combined answers of the nodes about a lock that too few of them granted.
 */
final class BusyVotes {

	private final LockMode mode;

	private final int nodes;

	private final int needed;

	private final List<Busy> busy = new ArrayList<>();

	/** Time until each node that has answered is free. */
	private final List<Duration> remaining = new ArrayList<>();

	/** Number of nodes by the holder that they name; empty for none. */
	private final Map<String, Integer> holders = new HashMap<>();

	private int refused;

	BusyVotes(LockMode mode, int nodes, int needed) {
		this.mode = mode;
		this.nodes = nodes;
		this.needed = needed;
	}

	void add(AcquireOutcome answer) {
		if (answer instanceof Busy taken) {
			this.busy.add(taken);
			this.remaining.add(taken.remaining());
			this.holders.merge(taken.holder(), 1, Integer::sum);
		}
		else {
			this.refused += (answer instanceof Refused) ? 1 : 0;
			this.remaining.add(Duration.ZERO);
		}
	}

	List<Busy> busy() {
		return this.busy;
	}

	/** Return whether every busy node named a holder, not only waiters or a kept lock. */
	boolean areHeld() {
		return !this.holders.containsKey("");
	}

	int refused() {
		return this.refused;
	}

	/**
	 * Return whether so many nodes name the same holder that no other can get the lock.
	 * Otherwise contenders may only block each other. A semaphore is settled if all
	 * answers are busy.
	 */
	boolean isSettled() {
		if (this.mode == LockMode.SEMAPHORE) {
			return this.busy.size() == this.remaining.size();
		}
		return most() > this.nodes - this.needed;
	}

	/** Return whether it may be settled, if the silent nodes name the same holder. */
	boolean maybeSettled() {
		int silent = this.nodes - this.remaining.size();
		return this.mode == LockMode.SEMAPHORE || most() + silent > this.nodes - this.needed;
	}

	private int most() {
		return this.holders.values().stream().mapToInt(Integer::intValue).max().orElse(0);
	}

	/**
	 * Return the time until enough nodes can be free, or the longest time if fewer have
	 * answered.
	 */
	Duration freeAfter() {
		List<Duration> sorted = this.remaining.stream().sorted().toList();
		return sorted.get(Math.min(this.needed, sorted.size()) - 1);
	}

	/**
	 * Return the answer that stands for all: the latest about the holder of most nodes.
	 */
	Busy representative() {
		Busy best = this.busy.get(0);
		for (Busy each : this.busy) {
			int more = this.holders.getOrDefault(each.holder(), 0) - this.holders.getOrDefault(best.holder(), 0);
			if (more > 0 || (more == 0 && each.remaining().compareTo(best.remaining()) > 0)) {
				best = each;
			}
		}
		return best;
	}

}
