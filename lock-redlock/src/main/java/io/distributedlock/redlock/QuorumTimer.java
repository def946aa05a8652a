package io.distributedlock.redlock;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.DaemonThreadFactory;

/**
 * The monotonic clock of the store, and a daemon thread. Tests replace it by a clock that
 * they advance. Nodes never see its times.
 */
class QuorumTimer implements AutoCloseable {

	private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
			new DaemonThreadFactory("distributed-lock-redlock-"));

	QuorumTimer() {
		this.thread.setRemoveOnCancelPolicy(true);
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/** Return the time in nanoseconds from any origin. */
	long nanos() {
		return System.nanoTime();
	}

	/**
	 * Run a task later, unless the timer is closed by then.
	 * @param task the task, quick and never blocking
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
