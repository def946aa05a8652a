package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.redis.internal.driver.RedisDriver;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Where the connections of a store come from.
 *
 * @param scripts those for scripts
 * @param subscriptions those for subscriptions
 * @param own whether they were made for the locks of the application, and end with them
 */
record LockConnections(RedisDriver scripts, RedisDriver subscriptions,
		boolean own) implements Lifecycle, AutoCloseable {

	/** Shorter times to open a connection would not do for TLS on a busy machine. */
	private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(2);

	/** Those that the settings ask for, as far as they can be made. */
	static LockConnections of(RedisConnectionFactory factory, RedisStoreSettings settings) {
		Duration timeout = settings.commandTimeout();
		RedisDriver application = RedisDrivers.of(factory);
		RedisDriver used = settings.sharedConnection() ? application
				: application.own((timeout.compareTo(LEAST_TIMEOUT) > 0) ? timeout : LEAST_TIMEOUT);
		return new LockConnections(used, used, used != application);
	}

	@Override
	public void start() {
		if (this.own) {
			((Lifecycle) this.scripts.factory()).start();
		}
	}

	@Override
	public void stop() {
		if (this.own) {
			((Lifecycle) this.scripts.factory()).stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.own && ((Lifecycle) this.scripts.factory()).isRunning();
	}

	@Override
	public void close() {
		if (this.own) {
			try {
				((DisposableBean) this.scripts.factory()).destroy();
			}
			catch (Exception ex) {
				throw new IllegalStateException("The connections of the locks cannot be closed", ex);
			}
		}
	}

}
