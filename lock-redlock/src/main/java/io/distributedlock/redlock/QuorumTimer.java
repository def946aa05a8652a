package io.distributedlock.redlock;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.DaemonThreadFactory;

/**
 * The time that the store goes by, and a daemon thread. Tests replace it by time that
 * passes when they say so. Monotonic, and nothing that nodes ever see.
 */
class QuorumTimer implements AutoCloseable {

	private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
			new DaemonThreadFactory("distributed-lock-redlock-"));

	QuorumTimer() {
		this.thread.setRemoveOnCancelPolicy(true);
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/** The time in nanoseconds from any origin. */
	long nanos() {
		return System.nanoTime();
	}

	/**
	 * Run something later, unless the timer is closed by then.
	 * @param task what to run, quick and never blocking
	 * @return withdraws the task
	 */
	Runnable schedule(Duration delay, Runnable task) {
		try {
			Future<?> scheduled = this.thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
			return () -> scheduled.cancel(false);
		}
		catch (RejectedExecutionException ex) {
			return () -> {
			};
		}
	}

	@Override
	public void close() {
		this.thread.shutdown();
	}

}
