package io.distributedlock.test.store;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Longest wait of a test for an event that has to come. It is no bound on the speed of
 * the machine. The event ends the wait, and the ceiling only fails a test whose event
 * never comes. It is shorter than JUnit's limit of five minutes for a test, so that the
 * failure names the missing event.
 */
public final class Patience {

	/** Ceiling of each wait, four minutes. */
	public static final Duration CEILING = Duration.ofMinutes(4);

	private Patience() {
	}

	/**
	 * Wait for a condition, which is checked every 10 ms, up to the ceiling.
	 * @return the wait, still without its condition
	 */
	public static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).atMost(CEILING);
	}

}
