package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;

/**
 * The nodes, how many of them it takes, and what all commands of a store share.
 *
 * @param members the nodes
 * @param settings the settings
 * @param patience how long a command may take where too few nodes answer
 * @param timer the time
 * @param held the requests that hold something
 * @param splits the attempts that came to nothing
 */
record Quorum(List<Member> members, RedlockSettings settings, Duration patience, QuorumTimer timer, HeldRequests held,
		SplitVotes splits) {

	int size() {
		return this.members.size();
	}

	int majority() {
		return majority(size());
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

}
