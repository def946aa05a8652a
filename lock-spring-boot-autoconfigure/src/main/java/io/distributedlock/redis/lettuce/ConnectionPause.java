package io.distributedlock.redis.lettuce;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Pauses between attempts to connect to a server that is down, longer each time. What
 * needs a connection meanwhile fails at once, as it would anyhow.
 */
final class ConnectionPause {

	private static final Duration SHORTEST = Duration.ofMillis(50);

	private static final Duration LONGEST = Duration.ofSeconds(1);

	private final LongSupplier nanos;

	private @Nullable RuntimeException failure;

	private long failedAt;

	private Duration pause = SHORTEST;

	ConnectionPause(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * Connect, and look at the connection.
	 * @param look what to do with it first
	 */
	RedisConnection connect(Supplier<RedisConnection> connector, Consumer<RedisConnection> look) {
		refuseWhilePausing();
		try {
			RedisConnection connection = lookedAt(connector.get(), look);
			succeeded();
			return connection;
		}
		catch (RuntimeException ex) {
			failed(ex);
			throw ex;
		}
	}

	private static RedisConnection lookedAt(RedisConnection connection, Consumer<RedisConnection> look) {
		try {
			look.accept(connection);
			return connection;
		}
		catch (RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	private synchronized void refuseWhilePausing() {
		RuntimeException last = this.failure;
		if (last != null && this.nanos.getAsLong() - this.failedAt < this.pause.toNanos()) {
			throw new RedisConnectionFailureException(String.valueOf(last.getMessage()), last);
		}
	}

	private synchronized void succeeded() {
		this.failure = null;
		this.pause = SHORTEST;
	}

	private synchronized void failed(RuntimeException ex) {
		Duration longer = this.pause.multipliedBy(2);
		this.pause = (this.failure == null) ? SHORTEST : (longer.compareTo(LONGEST) < 0) ? longer : LONGEST;
		this.failure = ex;
		this.failedAt = this.nanos.getAsLong();
	}

}
