package io.distributedlock.redlock;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.DaemonThreadFactory;

/**
 * The real time, and a daemon thread.
 */
final class ThreadTimer implements QuorumTimer {

	private final ScheduledThreadPoolExecutor thread;

	ThreadTimer() {
		this.thread = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("distributed-lock-redlock-"));
		this.thread.setRemoveOnCancelPolicy(true);
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	@Override
	public long nanos() {
		return System.nanoTime();
	}

	@Override
	public Runnable schedule(Duration delay, Runnable task) {
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
