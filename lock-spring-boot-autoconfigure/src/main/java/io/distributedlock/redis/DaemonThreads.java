package io.distributedlock.redis;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the store's few threads. None keeps a JVM alive.
 */
final class DaemonThreads implements ThreadFactory {

	private static final int IDLE_SECONDS = 10;

	private final AtomicInteger count = new AtomicInteger();

	private final String prefix;

	private DaemonThreads(String purpose) {
		this.prefix = "distributed-lock-" + purpose + '-';
	}

	static ThreadFactory named(String purpose) {
		return new DaemonThreads(purpose);
	}

	/**
	 * Threads that come on demand and go when idle; whoever hands over a task waits for
	 * no mutex of the queue.
	 */
	static ThreadPoolExecutor pool(String purpose, int size) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedTransferQueue<>(), named(purpose));
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(task, this.prefix + this.count.incrementAndGet());
		thread.setDaemon(true);
		return thread;
	}

}
