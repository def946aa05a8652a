package io.distributedlock.engine.internal.instance;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.store.DaemonThreadFactory;
import io.distributedlock.text.LockLog;

/**
 * An executor on which code of users runs, on a few daemon threads.
 */
public final class Callbacks implements Executor {

	private static final LockLog logger = LockLog.of(Callbacks.class);

	/**
	 * Time after which an idle thread ends, so that none outlives its registry for long.
	 */
	private static final Duration IDLE = Duration.ofMillis(200);

	private final ThreadPoolExecutor executor;

	/**
	 * Create an executor.
	 * @param name the prefix of the thread names; a number follows
	 * @param threads the number of threads while there is enough to do
	 */
	public Callbacks(String name, int threads) {
		this.executor = new DaemonThreadFactory(name + "-").pool(threads, IDLE);
	}

	@Override
	public void execute(Runnable task) {
		Runnable guarded = () -> run(task);
		try {
			this.executor.execute(guarded);
		}
		catch (Throwable ex) {
			// No thread can be started: a running one takes the task, or a later one.
			if (!this.executor.getQueue().contains(guarded)) {
				this.executor.getQueue().add(guarded);
			}
			log("A callback of a lock has to wait for a thread", ex);
		}
	}

	/** Return whether a task waits for a thread. */
	boolean hasWaiting() {
		return !this.executor.getQueue().isEmpty();
	}

	/** Return the approximate number of tasks that have ended so far. */
	long ended() {
		return this.executor.getCompletedTaskCount();
	}

	int threads() {
		return this.executor.getCorePoolSize();
	}

	void threads(int threads) {
		this.executor.setCorePoolSize(threads);
	}

	/** Run code of users, and log an exception. */
	public static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			log("A callback of a lock failed", ex);
		}
	}

	/** Log a failure. A log that fails as well must not prevent the next callback. */
	public static void log(String what, Throwable failure) {
		try {
			logger.error(what, failure);
		}
		catch (Throwable ignored) {
			// It could only be reported to the log, which has just failed.
		}
	}

}
