package io.distributedlock.limits;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The limits in a size that takes seconds, two of them at a time. A test that uses up the
 * processors for longer is isolated: a process that holds very many locks would measure
 * that.
 */
@Tag("alone")
@Execution(ExecutionMode.CONCURRENT)
class LimitsIntegrationTests {

	/** A machine may stand still for a sixth of it. */
	private static final Duration TTL = Duration.ofSeconds(18);

	/** Two renewals of each lock. */
	private static final Duration HELD = TTL.dividedBy(3).multipliedBy(2);

	/** Very many locks, because the other needs of the process count as well. */
	@Test
	@ResourceLock("one processor")
	void locksThatAreHeldCostLittleHeapAndFewThreads() throws Exception {
		Limits.holdLocks(40_000, TTL, HELD);
	}

	@Test
	@ResourceLock("other processor")
	void tenThousandLocksAreRenewedByFewScripts() throws Exception {
		Limits.renewLocks(10_000, TTL, HELD);
	}

	/**
	 * Very many callers, because the driver's allocator takes and frees a megabyte in
	 * between.
	 */
	@Test
	@ResourceLock("other processor")
	void callersWhoWantOneLockAreServedInOrderByFewCommands() throws Exception {
		Limits.queueUp(5_000);
	}

	@Test
	@ResourceLock("one processor")
	void keysThatComeAndGoLeaveNothing() throws Exception {
		Limits.comeAndGo(50, Duration.ofSeconds(4));
	}

}
