package io.distributedlock.redis.driver;

import java.time.Duration;
import java.util.function.Consumer;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Makes connections to the nodes of a quorum, without the application's factory.
 */
public interface NodeDriver {

	/**
	 * Connect to a node.
	 * @param server where it is and how to log in
	 * @param timeout for connecting and for commands that are waited for
	 * @param look what to do with a new connection first
	 */
	NodeConnections connect(NodeServer server, Duration timeout, Consumer<RedisConnection> look);

}
