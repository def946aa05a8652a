package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.function.Function;

import javax.net.ssl.SSLSocketFactory;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A driver library with its connection factory: all that the store needs and libraries do
 * in different ways. Creates nothing before it is asked. Thread-safe. Not for
 * applications.
 *
 * @since 0.1.0
 */
public interface RedisDriver {

	/** Return the source of connections for plain commands, which may block. */
	RedisConnectionFactory factory();

	/** Return the servers and the user, for messages. */
	RedisTarget target();

	/**
	 * Return a factory that begins TLS as the library does, if the library may lose the
	 * server's refusal, else {@code null}.
	 */
	default @Nullable SSLSocketFactory handshakes() {
		return null;
	}

	/** Return whether the library knows that Redis is a cluster. */
	boolean isCluster();

	/**
	 * Create connections of the locks alone, like those of the application, whose
	 * configuration is only read.
	 * @param timeout the time-out for opening a connection
	 * @return a driver whose factory is also a
	 * {@link org.springframework.context.Lifecycle} and is to be destroyed; or this one
	 * if the library is unknown or the factory is a subclass or a proxy, which may differ
	 * in unknown ways
	 */
	RedisDriver own(Duration timeout);

	/**
	 * Create the runner of scripts.
	 * @param nodes returns the name of the node that has a key; one for all if there is
	 * only one
	 * @param reopened called when a connection was replaced: others of the factory are
	 * gone too
	 */
	ScriptRunner scripts(Function<byte[], String> nodes, Runnable reopened);

	/** Return whether scripts may run on the threads of callers. */
	default boolean runsOnCallers() {
		return false;
	}

	/**
	 * Create a subscription to the channel of this instance.
	 * @param listener receives the messages
	 * @throws UnsupportedOperationException if the library has none
	 */
	WakeUpSubscription subscription(WakeUpSubscription.Listener listener);

	/**
	 * Create a runner of scripts whose answers replicas have to confirm.
	 * @param wanted the confirmation that is needed
	 * @throws IllegalArgumentException if the library cannot do that
	 */
	default ScriptRunner acknowledged(Acknowledgement wanted) {
		throw new IllegalArgumentException(
				"Replicas can only confirm locks where the connection factory is that of Lettuce. With Spring Boot set "
						+ "spring.data.redis.client-type=lettuce");
	}

	/** Try whether the user may wait for replicas of the primary of a key. Blocks. */
	default void tryWait(byte[] key) {
		throw new UnsupportedOperationException();
	}

}
