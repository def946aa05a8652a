package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.function.Function;

import javax.net.ssl.SSLSocketFactory;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A driver library, with the connection factory through which it is used: all that the
 * store wants and that libraries do in different ways. Makes nothing before it is asked.
 * Thread-safe. Not for applications.
 *
 * @since 0.1.0
 */
public interface RedisDriver {

	/** Where connections come from for plain commands that may block. */
	RedisConnectionFactory factory();

	/** Where Redis is, for messages. */
	RedisTarget target();

	/**
	 * What begins TLS as the library does, where that may lose what the server says of
	 * it, else {@code null}.
	 */
	default @Nullable SSLSocketFactory handshakes() {
		return null;
	}

	/** Whether the library knows that Redis is a cluster. */
	boolean isCluster();

	/**
	 * Connections of the locks alone, made like those of the application, which is only
	 * read.
	 * @param timeout how long opening a connection may take
	 * @return a driver whose factory is also a
	 * {@link org.springframework.context.Lifecycle} and is to be destroyed, or this one
	 * where the factory is a subclass or a proxy, since what such a one does differently
	 * is not known
	 */
	RedisDriver own(Duration timeout);

	/**
	 * What runs the scripts.
	 * @param nodes the name of the node that has a key; one for all if there is only one
	 * @param reopened called when a connection had to be replaced: others of the factory
	 * are gone too
	 */
	ScriptRunner scripts(Function<byte[], String> nodes, Runnable reopened);

	/** Whether scripts may run on the threads of callers. */
	default boolean runsOnCallers() {
		return false;
	}

	/**
	 * A subscription to the channel of this instance.
	 * @param listener what the subscription is for
	 * @throws UnsupportedOperationException if the library has none
	 */
	WakeUpSubscription subscription(WakeUpSubscription.Listener listener);

	/**
	 * What runs scripts whose answers count when replicas have confirmed them.
	 * @param wanted what they have to confirm
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
