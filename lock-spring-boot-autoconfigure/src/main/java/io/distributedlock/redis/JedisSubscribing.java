package io.distributedlock.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;

/**
 * Connections of Jedis to subscribe on. Jedis waits without end on such a one, which only
 * somebody who has the connection itself can end.
 */
final class JedisSubscribing {

	private JedisSubscribing() {
	}

	/**
	 * Take a connection out of the pool of a client that would hide which it takes. The
	 * client for Sentinel does not give any away.
	 * @return the connection that was given where there is none to be taken
	 */
	@SuppressWarnings("removal")
	static RedisConnection take(RedisConnection given) {
		Object client = given.getNativeConnection();
		Connection taken = (client instanceof Jedis) ? null : connection(client);
		return (taken != null) ? new JedisConnection(new Jedis(taken)) : given;
	}

	/** Older versions do not know all of these, and have none but the first. */
	@SuppressWarnings("deprecation")
	private static @Nullable Connection connection(Object client) {
		if (client instanceof JedisCluster cluster) {
			return anyOf(cluster.getClusterNodes().values());
		}
		if (client instanceof RedisClusterClient cluster) {
			return anyOf(cluster.getClusterNodes().values());
		}
		return (client instanceof RedisClient alone) ? alone.getPool().getResource() : null;
	}

	/** As Jedis does it: all nodes hear what is published. */
	private static Connection anyOf(Collection<ConnectionPool> nodes) {
		List<ConnectionPool> shuffled = new ArrayList<>(nodes);
		Collections.shuffle(shuffled);
		RuntimeException failure = new IllegalStateException("No node of the cluster is known");
		for (ConnectionPool node : shuffled) {
			try {
				return living(node.getResource());
			}
			catch (RuntimeException ex) {
				failure = ex;
			}
		}
		throw failure;
	}

	private static Connection living(Connection connection) {
		try {
			connection.ping();
			return connection;
		}
		catch (RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	/**
	 * Cut a connection that another thread may be reading from.
	 * @return whether it is one that can be cut
	 */
	static boolean cut(RedisConnection connection) {
		if (!(connection.getNativeConnection() instanceof Jedis jedis)) {
			return false;
		}
		try {
			jedis.getConnection().forceDisconnect();
		}
		catch (IOException ignored) {
			// It is cut all the same.
		}
		return true;
	}

	/**
	 * Close a connection so that nobody gets it again. Spring Data would unsubscribe, for
	 * which Jedis connects once more when it was cut, and takes it for intact.
	 */
	static void discard(Jedis jedis) {
		jedis.getConnection().setBroken();
		jedis.close();
	}

}
