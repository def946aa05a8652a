package io.distributedlock.limits;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limits in a size that takes seconds. */
@Timeout(120)
class LimitsIntegrationTests {

	@Test
	void locksThatAreHeldCostLittleHeapAndFewThreads() throws Exception {
		Limits.holdLocks(10_000, Duration.ofSeconds(12));
	}

	@Test
	void callersWhoWantOneLockAreServedInOrderByTwoCommandsEach() throws Exception {
		Limits.queueUp(500);
	}

	@Test
	void keysThatComeAndGoLeaveNothing() throws Exception {
		Limits.comeAndGo(50, Duration.ofSeconds(4));
	}

}
