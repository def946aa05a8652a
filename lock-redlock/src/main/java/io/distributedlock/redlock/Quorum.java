package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;

/**
 * The nodes, the number of them that a lock needs, and the state that all commands of a
 * store share.
 *
 * @param members the nodes
 * @param settings the settings
 * @param patience time-out of a command if too few nodes answer
 * @param timer the time
 * @param held the granted requests that have not ended
 * @param splits the back-off after attempts that split the nodes
 */
record Quorum(List<Member> members, RedlockSettings settings, Duration patience, QuorumTimer timer, HeldRequests held,
		SplitVotes splits) {

	int size() {
		return this.members.size();
	}

	int majority() {
		return majority(size());
	}

	/** Return the majority of nodes; any two majorities have a node in common. */
	static int majority(int nodes) {
		return nodes / 2 + 1;
	}

	/**
	 * Return the number of nodes that have to grant a lock: the majority, or more for a
	 * semaphore with several permits. Each node grants as many permits as there are, so
	 * {@code permits + 1} holders must not fit on all nodes together.
	 */
	static int needed(LockMode mode, int permits, int nodes) {
		if (mode != LockMode.SEMAPHORE) {
			return majority(nodes);
		}
		return (int) (((long) permits * nodes) / (permits + 1L)) + 1;
	}

	/**
	 * Return words for the lock in messages: a semaphore may need more than a majority.
	 */
	static String taker(LockMode mode, int permits) {
		return (mode != LockMode.SEMAPHORE) ? "it"
				: "a semaphore of %d %s".formatted(permits, (permits == 1) ? "permit" : "permits");
	}

}
