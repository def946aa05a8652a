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
 * What the answers of the nodes tell together of a lock that was not granted by enough.
 */
final class BusyVotes {

	private final LockMode mode;

	private final int nodes;

	private final int needed;

	private final List<Busy> busy = new ArrayList<>();

	/** When each node that has answered is free. */
	private final List<Duration> remaining = new ArrayList<>();

	/** On how many nodes each instance is said to be the holder. */
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

	/** Whether every node named a holder, and none only a waiter. */
	boolean areHeld() {
		return !this.holders.containsKey("");
	}

	int refused() {
		return this.refused;
	}

	/**
	 * Whether what was seen keeps all others from the lock by itself, so that it is more
	 * than some contenders in each other's way.
	 */
	boolean isSettled() {
		if (this.mode == LockMode.SEMAPHORE) {
			return this.busy.size() == this.remaining.size();
		}
		return most() > this.nodes - this.needed;
	}

	/** Whether it may be so, if the nodes that did not answer belong to it as well. */
	boolean maybeSettled() {
		int silent = this.nodes - this.remaining.size();
		return this.mode == LockMode.SEMAPHORE || most() + silent > this.nodes - this.needed;
	}

	private int most() {
		return this.holders.values().stream().mapToInt(Integer::intValue).max().orElse(0);
	}

	/**
	 * When as many nodes as needed can be free, or the longest time if fewer have
	 * answered.
	 */
	Duration freeAfter() {
		List<Duration> sorted = this.remaining.stream().sorted().toList();
		return sorted.get(Math.min(this.needed, sorted.size()) - 1);
	}

	/** The answer that stands for the others: of the holder of most nodes, the latest. */
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
