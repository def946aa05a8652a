package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The driver for any connection factory, taken for one that blocks and has a pool. Does
 * not know the servers.
 */
public class SpringDriver implements RedisDriver {

	private final RedisConnectionFactory factory;

	/**
	 * Create a driver.
	 * @param factory the source of connections; neither changed nor closed
	 */
	public SpringDriver(RedisConnectionFactory factory) {
		this.factory = factory;
	}

	@Override
	public final RedisConnectionFactory factory() {
		return this.factory;
	}

	@Override
	public RedisTarget target() {
		return RedisTarget.UNKNOWN;
	}

	@Override
	public boolean isCluster() {
		return false;
	}

	@Override
	public RedisDriver own(Duration timeout) {
		return this;
	}

	@Override
	public final ScriptRunner scripts(Function<byte[], String> nodes, Runnable reopened) {
		return new BlockingScriptRunner(this.factory, nodes, this::breakOff, callerLane(),
				BlockingScriptRunner.LONGEST_FIRST);
	}

	@Override
	public final boolean runsOnCallers() {
		return callerLane() != null;
	}

	/** Return the lane for commands on threads of callers, or {@code null} for none. */
	protected @Nullable CallerLane callerLane() {
		return null;
	}

	/** Keep a connection from returning to its pool when it is closed. */
	protected void breakOff(RedisConnection connection) {
	}

	@Override
	public final WakeUpSubscription subscription(WakeUpSubscription.Listener listener) {
		return new BlockingSubscription(this::subscribing, listener);
	}

	/**
	 * Borrow a connection on which a thread can subscribe, blocked until the subscription
	 * ends.
	 */
	public SubscribingConnection subscribing() {
		return new SpringSubscribing(this.factory.getConnection(), false);
	}

}
