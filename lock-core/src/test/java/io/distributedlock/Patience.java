package io.distributedlock;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * How long a test waits for an event that has to come. It is no bound on the speed of the
 * machine: the event ends the wait, and the ceiling only ends a test whose event never
 * comes. It is less than the five minutes after which JUnit ends a test, so that the test
 * names the event that it has waited for.
 */
public final class Patience {

	/** Ceiling of each wait, four minutes. */
	public static final Duration CEILING = Duration.ofMinutes(4);

	private Patience() {
	}

	/**
	 * Wait for a condition that is looked at every 10 ms, up to the ceiling.
	 * @return the wait, to be given its condition
	 */
	public static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).atMost(CEILING);
	}

}
