package io.distributedlock.redis;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.RedisDriver;
import org.jspecify.annotations.Nullable;

/**
 * Tries in the background whether the user may subscribe, once at a time, since a server
 * may not answer. Thread-safe.
 */
final class SubscriptionProbes implements AutoCloseable {

	private final RedisDriver driver;

	private final String prefix;

	private final ThreadPoolExecutor thread = DaemonThreads.pool("redis-probe-subscription", 1);

	private final AtomicReference<@Nullable SubscriptionProbe> running = new AtomicReference<>();

	SubscriptionProbes(RedisDriver driver, String prefix) {
		this.driver = driver;
		this.prefix = prefix;
	}

	/** Does not block. Does nothing while one is under way. */
	void start() {
		SubscriptionProbe probe = new SubscriptionProbe(this.driver, this.prefix);
		if (this.running.compareAndSet(null, probe)) {
			try {
				this.thread.execute(() -> run(probe));
			}
			catch (RejectedExecutionException ignored) {
				// Closed: nobody wants to know any more.
			}
		}
	}

	private void run(SubscriptionProbe probe) {
		try {
			probe.run();
		}
		finally {
			this.running.set(null);
		}
	}

	/** End what is under way. Waits for it a moment. */
	@Override
	public void close() {
		this.thread.shutdown();
		DaemonThreads.awaitEnd(this.thread);
		SubscriptionProbe probe = this.running.get();
		if (probe != null) {
			probe.cut();
			// It closes its connection, which is a warning once the client is shut down.
			DaemonThreads.awaitEnd(this.thread);
		}
	}

}
