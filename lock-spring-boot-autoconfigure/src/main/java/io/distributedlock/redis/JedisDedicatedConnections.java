package io.distributedlock.redis;

import java.util.Map;

import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections that are borrowed from the factory's pool for a script and its WAIT. On a
 * cluster a place is a hash slot, or the node that a slot is moving to.
 */
final class JedisDedicatedConnections implements DedicatedConnections {

	private final JedisConnectionFactory factory;

	JedisDedicatedConnections(JedisConnectionFactory factory) {
		this.factory = factory;
	}

	@Override
	public boolean isCluster() {
		return this.factory.isRedisClusterAware();
	}

	@Override
	public String placeOf(byte[] key) {
		return isCluster() ? Integer.toString(JedisClusterCRC16.getSlot(key)) : "";
	}

	/** Any command for the key makes Jedis learn where its slot is. */
	@Override
	public String moved(byte[] key, String address) {
		try (RedisConnection borrowed = this.factory.getConnection()) {
			borrowed.hashCommands().hMGet(key, key);
		}
		return placeOf(key);
	}

	@Override
	public DedicatedConnection open(String place) {
		RedisConnection borrowed = this.factory.getConnection();
		try {
			return open(borrowed, place);
		}
		catch (RuntimeException ex) {
			borrowed.close();
			throw ex;
		}
	}

	private static DedicatedConnection open(RedisConnection borrowed, String place) {
		Object client = borrowed.getNativeConnection();
		if (client instanceof Jedis jedis) {
			Connection connection = jedis.getConnection();
			return new JedisDedicatedConnection(new Pipeline(connection), connection::setBroken, borrowed::close);
		}
		if (!place.isEmpty()) {
			Connection connection = connect((UnifiedJedis) client, place);
			return new JedisDedicatedConnection(new Pipeline(connection), connection::setBroken, connection::close);
		}
		Pipeline pipeline = (Pipeline) ((UnifiedJedis) client).pipelined();
		return new JedisDedicatedConnection(pipeline, () -> {
		}, pipeline::close);
	}

	/** Spring Data has the one that is deprecated by default. */
	@SuppressWarnings("deprecation")
	private static Connection connect(UnifiedJedis client, String place) {
		if (place.indexOf(':') >= 0) {
			return node((client instanceof JedisCluster cluster) ? cluster.getClusterNodes()
					: ((RedisClusterClient) client).getClusterNodes(), place);
		}
		int slot = Integer.parseInt(place);
		return (client instanceof JedisCluster cluster) ? cluster.getConnectionFromSlot(slot)
				: ((RedisClusterClient) client).getConnectionFromSlot(slot);
	}

	private static Connection node(Map<String, ConnectionPool> nodes, String address) {
		ConnectionPool pool = nodes.get(address);
		if (pool == null) {
			throw new IllegalStateException("CLUSTERDOWN The node " + address + " is not known yet");
		}
		return pool.getResource();
	}

	/** Nothing to do: all connections are the pool's. */
	@Override
	public void close() {
	}

}
