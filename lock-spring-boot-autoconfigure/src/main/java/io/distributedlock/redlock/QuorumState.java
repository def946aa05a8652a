package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

/**
 * What all commands of a store share.
 *
 * @param members the nodes
 * @param settings the settings
 * @param patience how long a command may take where too few nodes answer
 * @param timer the time
 * @param held the requests that hold something
 * @param splits the attempts that came to nothing
 */
record QuorumState(List<Member> members, RedlockSettings settings, Duration patience, QuorumTimer timer,
		HeldRequests held, SplitVotes splits) {

	int majority() {
		return Quorum.majority(this.members.size());
	}

}
