package io.distributedlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The bounded executor on which code of users runs: continuations, loss actions and event
 * listeners. A few daemon threads that go when there is nothing to do, so it need not be
 * closed; what waits is bounded by the live requests and leases.
 */
final class Callbacks implements Executor {

	private static final Log logger = LogFactory.getLog(Callbacks.class);

	/** None is to be left for long when its registry was closed. */
	private static final int IDLE_MILLIS = 200;

	private final AtomicInteger number = new AtomicInteger();

	private final String threadName;

	private final ThreadPoolExecutor executor;

	Callbacks(String threadName, int threads) {
		this.threadName = threadName;
		this.executor = new ThreadPoolExecutor(threads, threads, IDLE_MILLIS, TimeUnit.MILLISECONDS,
				new LinkedTransferQueue<>(), this::newThread);
		this.executor.allowCoreThreadTimeOut(true);
	}

	private Thread newThread(Runnable task) {
		Thread thread = new Thread(task, this.threadName + "-" + this.number.incrementAndGet());
		thread.setDaemon(true);
		return thread;
	}

	@Override
	public void execute(Runnable task) {
		Runnable guarded = () -> run(task);
		try {
			this.executor.execute(guarded);
		}
		catch (Throwable ex) {
			// No thread is to be had: one that is there already takes it, or a later one.
			logger.error("A callback of a lock has to wait for a thread", ex);
			this.executor.getQueue().add(guarded);
		}
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.error("A callback of a lock failed", ex);
		}
	}

}
