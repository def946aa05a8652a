package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.SpringDriver;
import io.distributedlock.redis.internal.jedis.JedisDriver;
import io.distributedlock.redis.internal.lettuce.LettuceDriver;
import io.distributedlock.redis.internal.lettuce.LettuceNodes;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Chooses the driver. The classes that need an optional library are only loaded where it
 * is present.
 */
final class RedisDrivers {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisDrivers.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			RedisDrivers.class.getClassLoader());

	private RedisDrivers() {
	}

	/** The driver that a connection factory stands for. */
	static RedisDriver of(RedisConnectionFactory factory) {
		RedisDriver lettuce = LETTUCE ? LettuceDriver.of(factory) : null;
		return (lettuce != null) ? lettuce : JEDIS ? new JedisDriver(factory) : new SpringDriver(factory);
	}

	/**
	 * What connects to the nodes of a quorum. That is Lettuce: Jedis would have to ask a
	 * server with each command whether it has restarted, since its pool does not say when
	 * a connection is new.
	 * @param nodes for how many nodes
	 * @param timeout for connecting and for commands that are waited for
	 * @throws IllegalStateException if there is no Lettuce
	 */
	static LettuceNodes nodes(int nodes, Duration timeout) {
		if (!LETTUCE) {
			throw new IllegalStateException("Lettuce is not on the class path");
		}
		return new LettuceNodes(nodes, timeout);
	}

}
