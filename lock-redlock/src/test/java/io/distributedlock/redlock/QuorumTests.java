package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QuorumTests {

	@Test
	void majoritiesWhenTwoHaveANodeInCommonAndAreNoLargerThanThat() {
		for (int nodes = 1; nodes <= 63; nodes++) {
			int majority = Quorum.majority(nodes);
			assertThat(2 * majority).isGreaterThan(nodes);
			assertThat(2 * (majority - 1)).isLessThanOrEqualTo(nodes);
		}
	}

	@Test
	void semaphoreHasQuorumsForItsPermitsAndNoMore() {
		for (int nodes = 3; nodes <= 63; nodes++) {
			for (int permits = 1; permits <= 200; permits++) {
				int needed = Quorum.needed(LockMode.SEMAPHORE, permits, nodes);
				assertThat((permits + 1) * needed).as("%d permits, %d nodes", permits, nodes)
					.isGreaterThan(permits * nodes);
				assertThat((permits + 1) * (needed - 1)).isLessThanOrEqualTo(permits * nodes);
				assertThat(needed).isBetween(Quorum.majority(nodes), nodes);
			}
		}
	}

	@Test
	void semaphoreWhenPermitsAreManyNeedsAllNodes() {
		assertThat(Quorum.needed(LockMode.SEMAPHORE, Integer.MAX_VALUE, 5)).isEqualTo(5);
	}

	@Test
	void otherModesNeedTheMajority() {
		assertThat(Quorum.needed(LockMode.EXCLUSIVE, 0, 5)).isEqualTo(3);
		assertThat(Quorum.needed(LockMode.READ, 0, 3)).isEqualTo(2);
	}

	@Test
	void freeAfterIsTheTimeAtWhichEnoughNodesAreFree() {
		Random random = new Random(1);
		for (int round = 0; round < 10_000; round++) {
			int nodes = 3 + 2 * random.nextInt(4);
			List<Duration> remaining = new ArrayList<>();
			for (int i = 0; i < nodes; i++) {
				remaining.add(Duration.ofMillis(random.nextInt(20)));
			}
			int needed = Quorum.majority(nodes);
			Duration free = freeAfter(nodes, remaining);
			assertThat(remaining.stream().filter((each) -> each.compareTo(free) <= 0).count())
				.isGreaterThanOrEqualTo(needed);
			assertThat(remaining.stream().filter((each) -> each.compareTo(free) < 0).count()).isLessThan(needed);
		}
	}

	@Test
	void freeAfterWhenTooFewHaveAnsweredIsTheLongestKnown() {
		assertThat(freeAfter(5, List.of(Duration.ofSeconds(2), Duration.ofSeconds(5))))
			.isEqualTo(Duration.ofSeconds(5));
	}

	private static Duration freeAfter(int nodes, List<Duration> remaining) {
		BusyVotes votes = new BusyVotes(LockMode.EXCLUSIVE, nodes, Quorum.majority(nodes));
		remaining.forEach((each) -> votes.add(new AcquireOutcome.Busy("", each)));
		return votes.freeAfter();
	}

}
