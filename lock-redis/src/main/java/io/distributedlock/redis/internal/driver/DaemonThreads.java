package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.DaemonThreadFactory;

/**
 * Makes the store's few threads, and ends them. None keeps a JVM alive.
 */
public final class DaemonThreads {

	/** The time that a thread stays without a task. */
	public static final Duration IDLE = Duration.ofSeconds(10);

	/** The time that tasks have to end by themselves when a store is closed. */
	private static final Duration LAST_WORDS = Duration.ofSeconds(1);

	/** The wait of a close, so that a client is not shut down under a thread. */
	private static final Duration MOMENT = Duration.ofMillis(500);

	private DaemonThreads() {
	}

	/** Return a factory for threads. */
	public static DaemonThreadFactory named(String purpose) {
		return new DaemonThreadFactory("distributed-lock-" + purpose + "-");
	}

	/** Return a pool whose threads come on demand and go when idle. */
	public static ThreadPoolExecutor pool(String purpose, int size) {
		return named(purpose).pool(size, IDLE);
	}

	/**
	 * Take no more tasks, and soon interrupt the rest: a driver may wait without end,
	 * above all if its client is shut down meanwhile. Does not block.
	 */
	public static void end(ExecutorService pool) {
		pool.shutdown();
		afterLastWords(() -> pool.shutdownNow().forEach(DaemonThreads::drop));
	}

	private static void drop(Runnable task) {
		if (task instanceof Future<?> future) {
			future.cancel(true);
		}
		else if (task instanceof BlockingScriptRunner.Attempt attempt) {
			attempt.drop();
		}
	}

	/** Run a task that does not block, when running tasks should have ended. */
	public static void afterLastWords(Runnable task) {
		CompletableFuture.delayedExecutor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS, Runnable::run).execute(task);
	}

	/** Wait a moment for a pool that is about to end. */
	public static void awaitEnd(ExecutorService pool) {
		awaitEnd(pool, MOMENT);
	}

	/**
	 * Wait for a pool. An interrupt is kept for later, or the steps that end its threads
	 * would be left out.
	 */
	public static void awaitEnd(ExecutorService pool, Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		boolean interrupted = false;
		boolean waiting = true;
		while (waiting) {
			try {
				pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
				waiting = false;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
