package io.distributedlock.redlock;

import java.time.Duration;

/**
 * The time that the store goes by, which tests can replace. Monotonic, and nothing that
 * nodes ever see.
 */
interface QuorumTimer extends AutoCloseable {

	/** The time in nanoseconds from any origin. */
	long nanos();

	/**
	 * Run something later, unless the timer is closed by then.
	 * @param delay how much later
	 * @param task what to run, quick and never blocking
	 * @return withdraws the task
	 */
	Runnable schedule(Duration delay, Runnable task);

	@Override
	void close();

}
