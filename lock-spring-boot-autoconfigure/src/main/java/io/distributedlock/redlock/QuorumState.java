package io.distributedlock.redlock;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What all commands of a store share.
 *
 * @param members the nodes
 * @param settings the settings
 * @param patience how long a command may take where too few nodes answer
 * @param held the requests that hold something
 * @param splits the attempts that came to nothing
 * @param handOffs the attempts of requests that are next while the last holder is about
 * to go
 */
record QuorumState(List<Member> members, RedlockSettings settings, Duration patience, HeldRequests held,
		SplitVotes splits, SplitVotes handOffs) {

	/**
	 * The nodes in the order in which they are tried for the queue of fair waiters: those
	 * that were silent last come last.
	 */
	int[] queueOrder() {
		Set<Member> doubtful = this.members.stream().filter(Member::isDoubtful).collect(Collectors.toSet());
		return IntStream.range(0, this.members.size())
			.boxed()
			.sorted(Comparator.comparing((index) -> doubtful.contains(this.members.get(index))))
			.mapToInt(Integer::intValue)
			.toArray();
	}

	QuorumTimer timer() {
		return this.held.timer;
	}

	int majority() {
		return Quorum.majority(this.members.size());
	}

}
