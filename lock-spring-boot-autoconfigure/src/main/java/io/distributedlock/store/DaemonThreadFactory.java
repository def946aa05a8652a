package io.distributedlock.store;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Makes the threads of the engine and of stores: daemons, so none keeps a JVM alive. A
 * thread often starts in the first call that needs it, and outlives that. So it takes
 * nothing from that caller: no {@link InheritableThreadLocal}, which may be the identity
 * of a user, and as context class loader that of the code that made this factory.
 *
 * @since 0.1.0
 */
public final class DaemonThreadFactory implements ThreadFactory {

	private final AtomicInteger count = new AtomicInteger();

	private final String prefix;

	private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	/**
	 * Create a factory, where the application starts and not in the first call that needs
	 * a thread.
	 * @param prefix what the names of the threads begin with; a number follows
	 */
	public DaemonThreadFactory(String prefix) {
		this.prefix = prefix;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, this.prefix + this.count.incrementAndGet(), 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(this.classLoader);
		return thread;
	}

}
