package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.redis.internal.driver.RedisDriver;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The drivers with the connections of a store.
 *
 * @param scripts the driver for scripts
 * @param subscriptions the driver for subscriptions
 * @param own {@code true} if the connections were made for the locks alone, and end with
 * them
 */
record LockConnections(RedisDriver scripts, RedisDriver subscriptions,
		boolean own) implements Lifecycle, AutoCloseable {

	/** Minimum time to open a connection: less would not do for TLS on a busy machine. */
	private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * Return the connections that the settings ask for. If own ones cannot be made, they
	 * are those of the application.
	 */
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
