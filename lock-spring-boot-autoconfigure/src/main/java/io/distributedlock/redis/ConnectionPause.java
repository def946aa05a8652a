package io.distributedlock.redis;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;

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

	<C> C connect(Supplier<C> connector) {
		refuseWhilePausing();
		try {
			C connection = connector.get();
			succeeded();
			return connection;
		}
		catch (RuntimeException ex) {
			failed(ex);
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
