package io.distributedlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.DaemonThreadFactory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * An executor on which code of users runs. A few daemon threads that go when there is
 * nothing to do, so it need not be closed. The queue is no {@code LinkedTransferQueue}:
 * before JDK 21 a thread that polls one with a time-out may spin without end
 * (JDK-8301341).
 */
final class Callbacks implements Executor {

	private static final Log logger = LogFactory.getLog(Callbacks.class);

	/** None is to be left for long when its registry was closed. */
	private static final int IDLE_MILLIS = 200;

	private final ThreadPoolExecutor executor;

	/**
	 * Create an executor.
	 * @param name what its threads are called; a number follows
	 * @param threads how many there are while there is enough to do
	 * @param mostThreads how many there may be later
	 */
	Callbacks(String name, int threads, int mostThreads) {
		this.executor = new ThreadPoolExecutor(threads, mostThreads, IDLE_MILLIS, TimeUnit.MILLISECONDS,
				new LinkedBlockingQueue<>(), new DaemonThreadFactory(name + "-"));
		this.executor.allowCoreThreadTimeOut(true);
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
			if (!this.executor.getQueue().contains(guarded)) {
				this.executor.getQueue().add(guarded);
			}
		}
	}

	/** Whether a task waits for a thread. */
	boolean hasWaiting() {
		return !this.executor.getQueue().isEmpty();
	}

	/** About how many tasks have ended so far. */
	long ended() {
		return this.executor.getCompletedTaskCount();
	}

	int threads() {
		return this.executor.getCorePoolSize();
	}

	void threads(int threads) {
		this.executor.setCorePoolSize(threads);
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
