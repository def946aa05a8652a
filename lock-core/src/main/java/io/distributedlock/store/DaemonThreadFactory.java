package io.distributedlock.store;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Creates the threads of the engine and of stores: daemons, so none keeps a JVM alive. A
 * thread often starts in the first call that needs it, and outlives that call. So it
 * inherits nothing from that caller: no {@link InheritableThreadLocal}, which may be the
 * identity of a user. Its context class loader is that of the code that made this
 * factory.
 *
 * @since 0.1.0
 */
public final class DaemonThreadFactory implements ThreadFactory {

	private final AtomicInteger count = new AtomicInteger();

	private final String prefix;

	private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	/**
	 * Create a factory. Call this where the application starts, not in the first call
	 * that needs a thread.
	 * @param prefix the beginning of the threads' names; a number follows
	 */
	public DaemonThreadFactory(String prefix) {
		this.prefix = prefix;
	}

	/**
	 * Create a pool that starts threads on demand and ends idle ones, so that it need not
	 * be closed.
	 * @param threads the number of threads while there is enough work
	 * @param idle how long an idle thread stays
	 * @return the pool
	 */
	public ThreadPoolExecutor pool(int threads, Duration idle) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, Integer.MAX_VALUE, idle.toMillis(),
				TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), this);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, this.prefix + this.count.incrementAndGet(), 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(this.classLoader);
		return thread;
	}

}
