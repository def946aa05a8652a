package io.distributedlock.limits;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.convert.DurationStyle;

/**
 * The limits in the size that is promised, for as long as {@code -Dlimits.duration} says.
 * Only in the profile {@code chaos}.
 */
@Tag("chaos")
class LongLimitsIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	@Test
	void manyLocksThatAreHeldCostLittleHeapAndFewThreads() throws Exception {
		System.out.println(Limits.holdLocks(Integer.getInteger("limits.locks", 100_000), TTL, duration(10)));
	}

	@Test
	void manyCallersWhoWantOneLockAreServedInOrderByFewCommands() throws Exception {
		System.out.println(Limits.queueUp(Integer.getInteger("limits.waiters", 10_000)));
	}

	@Test
	void manyKeysThatComeAndGoLeaveNothing() throws Exception {
		System.out.println(Limits.comeAndGo(Integer.getInteger("limits.keys", 1_000), duration(3)));
	}

	private static Duration duration(int defaultMinutes) {
		String duration = System.getProperty("limits.duration", "");
		return duration.isEmpty() ? Duration.ofMinutes(defaultMinutes) : DurationStyle.detectAndParse(duration);
	}

}
