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

	/** How long a thread stays without a task. */
	public static final Duration IDLE = Duration.ofSeconds(10);

	/** What is under way when a store is closed has this long to end by itself. */
	private static final Duration LAST_WORDS = Duration.ofSeconds(1);

	/** Closing waits for this long, so that a client is not shut down under a thread. */
	private static final Duration MOMENT = Duration.ofMillis(500);

	private DaemonThreads() {
	}

	/** Makes threads. */
	public static DaemonThreadFactory named(String purpose) {
		return new DaemonThreadFactory("distributed-lock-" + purpose + "-");
	}

	/** Threads that come on demand and go when idle. */
	public static ThreadPoolExecutor pool(String purpose, int size) {
		return named(purpose).pool(size, IDLE);
	}

	/**
	 * Take no more tasks, and soon interrupt what is left of them: a driver may wait
	 * without end, above all if its client is shut down meanwhile. Does not block.
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

	/** Do something that does not block, when what was under way should have ended. */
	public static void afterLastWords(Runnable task) {
		CompletableFuture.delayedExecutor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS, Runnable::run).execute(task);
	}

	/** Wait a moment for a pool that is about to end. */
	public static void awaitEnd(ExecutorService pool) {
		awaitEnd(pool, MOMENT);
	}

	/** An interrupt has to wait, or what ends its threads would be left out. */
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
