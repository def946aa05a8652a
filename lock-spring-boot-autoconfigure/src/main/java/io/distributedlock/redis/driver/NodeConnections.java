package io.distributedlock.redis.driver;

/**
 * The connections of a node, which are ours and not the application's.
 */
public interface NodeConnections extends AutoCloseable {

	/**
	 * Gives connections that have been looked at before their first command, and are
	 * never replaced by others underneath.
	 */
	RedisDriver scripts();

	/** Gives connections for subscriptions. */
	RedisDriver subscriptions();

	@Override
	void close();

}
