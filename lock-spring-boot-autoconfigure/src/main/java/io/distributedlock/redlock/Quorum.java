package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;

/**
 * How many nodes it takes.
 */
final class Quorum {

	private Quorum() {
	}

	/** Any two majorities have a node in common. */
	static int majority(int nodes) {
		return nodes / 2 + 1;
	}

	/**
	 * How many nodes have to grant a lock. Of a semaphore each node grants as many
	 * permits as there are, so {@code permits + 1} holders must not find room on all
	 * nodes together, which for one permit is the majority.
	 */
	static int needed(LockMode mode, int permits, int nodes) {
		if (mode != LockMode.SEMAPHORE) {
			return majority(nodes);
		}
		return (int) (((long) permits * nodes) / (permits + 1L)) + 1;
	}

	/** What takes so many nodes: a semaphore may need more than a majority. */
	static String taker(LockMode mode, int permits) {
		return (mode != LockMode.SEMAPHORE) ? "it"
				: "a semaphore of %d %s".formatted(permits, (permits == 1) ? "permit" : "permits");
	}

	/**
	 * When as many nodes as needed can be free.
	 * @param remaining when each node that has answered is free at the latest
	 * @param needed how many have to be free
	 * @return the time, or the longest one if fewer have answered
	 */
	static Duration freeAfter(List<Duration> remaining, int needed) {
		List<Duration> sorted = remaining.stream().sorted().toList();
		return sorted.isEmpty() ? Duration.ZERO : sorted.get(Math.min(needed, sorted.size()) - 1);
	}

}
