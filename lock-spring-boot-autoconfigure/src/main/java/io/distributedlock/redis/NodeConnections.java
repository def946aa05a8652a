package io.distributedlock.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connections of a node, which are ours and not the application's.
 */
interface NodeConnections extends AutoCloseable {

	/**
	 * Gives connections that have been looked at before their first command, and are
	 * never replaced by others underneath.
	 */
	RedisConnectionFactory scripts();

	/** Gives connections for subscriptions. */
	RedisConnectionFactory subscriptions();

	@Override
	void close();

}
