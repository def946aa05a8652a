package io.distributedlock.redis.internal.jedis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.util.Pool;

import org.springframework.util.ClassUtils;

/**
 * The pools of Jedis' clients. Older versions lack some of the clients, and newer ones
 * may.
 */
final class JedisPools {

	private static final boolean CLIENT = isPresent("RedisClient");

	private static final boolean CLUSTER_CLIENT = isPresent("RedisClusterClient");

	private static final boolean CLUSTER = isPresent("JedisCluster");

	private JedisPools() {
	}

	private static boolean isPresent(String client) {
		return ClassUtils.isPresent("redis.clients.jedis." + client, JedisPools.class.getClassLoader());
	}

	/**
	 * Borrow a connection. The client for Sentinel does not give any away.
	 * @return a connection to be closed, or {@code null} if the client gives none
	 */
	static @Nullable Connection borrow(Object client) {
		if (CLIENT && Clients.isAlone(client)) {
			return Clients.borrow(client);
		}
		Collection<ConnectionPool> nodes = (CLUSTER_CLIENT && Clients.isCluster(client)) ? Clients.nodes(client)
				: (CLUSTER && Clusters.isCluster(client)) ? Clusters.nodes(client) : null;
		return (nodes != null) ? anyOf(nodes) : null;
	}

	/**
	 * Borrow a connection to a single server, without taking one that is ready for
	 * others.
	 * @return a connection to be closed, or {@code null} if the client gives none
	 */
	static @Nullable Connection borrowAnother(Object client) {
		return (CLIENT && Clients.isAlone(client)) ? Clients.borrowAnother(client) : null;
	}

	/** Borrow from any node, as Jedis does: messages reach all nodes. */
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

	private static final class Clients {

		private Clients() {
		}

		static boolean isAlone(Object client) {
			return client instanceof RedisClient;
		}

		static Connection borrow(Object client) {
			return ((RedisClient) client).getPool().getResource();
		}

		static Connection borrowAnother(Object client) {
			Pool<Connection> pool = ((RedisClient) client).getPool();
			pool.addObjects(1);
			if (pool.isClosed()) {
				// It was closed meanwhile, and has taken the new connection all the same.
				pool.clear();
			}
			return borrow(client);
		}

		static boolean isCluster(Object client) {
			return client instanceof RedisClusterClient;
		}

		static Collection<ConnectionPool> nodes(Object client) {
			return ((RedisClusterClient) client).getClusterNodes().values();
		}

	}

	@SuppressWarnings("deprecation")
	private static final class Clusters {

		private Clusters() {
		}

		static boolean isCluster(Object client) {
			return client instanceof JedisCluster;
		}

		static Collection<ConnectionPool> nodes(Object client) {
			return ((JedisCluster) client).getClusterNodes().values();
		}

	}

}
