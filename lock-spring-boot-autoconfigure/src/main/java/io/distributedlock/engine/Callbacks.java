package io.distributedlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The bounded executor on which code of users runs: continuations, loss actions and event
 * listeners. At most four daemon threads that go when there is nothing to do; what waits
 * is bounded by the live requests and leases.
 */
final class Callbacks implements Executor {

	private static final Log logger = LogFactory.getLog(Callbacks.class);

	private static final int THREADS = 4;

	private static final int IDLE_SECONDS = 5;

	private final AtomicInteger number = new AtomicInteger();

	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), this::newThread, (task, pool) -> task.run());

	Callbacks() {
		this.executor.allowCoreThreadTimeOut(true);
	}

	private Thread newThread(Runnable task) {
		Thread thread = new Thread(task, "distributed-lock-callback-" + this.number.incrementAndGet());
		thread.setDaemon(true);
		return thread;
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				logger.error("A callback of a lock failed", ex);
			}
		});
	}

	/** Run what is there; what comes later runs on the thread that brings it. */
	void close() {
		this.executor.shutdown();
	}

}
