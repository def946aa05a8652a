package io.distributedlock.redis;

import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.redis.internal.driver.ClientSettings;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.SpringDriver;
import io.distributedlock.redis.internal.jedis.JedisDriver;
import io.distributedlock.redis.internal.jedis.JedisFactory;
import io.distributedlock.redis.internal.lettuce.LettuceDriver;
import io.distributedlock.redis.internal.lettuce.LettuceNodes;
import io.distributedlock.redis.internal.lettuce.LettuceSettings;

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

	/** Return the driver for a connection factory. */
	static RedisDriver of(RedisConnectionFactory factory) {
		RedisDriver lettuce = LETTUCE ? LettuceDriver.of(factory) : null;
		return (lettuce != null) ? lettuce : JEDIS ? new JedisDriver(factory) : new SpringDriver(factory);
	}

	/**
	 * Return a connection factory of Jedis with the settings of one of Lettuce, or the
	 * given one if that is of Jedis.
	 * @throws IllegalArgumentException if Jedis cannot have these settings, or is not on
	 * the class path; the message goes on after "jedis"
	 */
	static RedisConnectionFactory jedis(RedisConnectionFactory factory, Supplier<SSLSocketFactory> sockets,
			SSLParameters parameters) {
		if (!JEDIS) {
			throw new IllegalArgumentException("needs redis.clients:jedis, which is not on the class path");
		}
		if (JedisFactory.isOne(factory)) {
			return factory;
		}
		ClientSettings lettuce = LETTUCE ? LettuceSettings.of(factory) : null;
		if (lettuce == null) {
			throw new IllegalArgumentException(
					"needs a connection factory of Lettuce or Jedis, and found " + factory.getClass().getName());
		}
		return JedisFactory.of(lettuce, sockets, parameters);
	}

	/**
	 * Create the connections to the nodes of a quorum, always with Lettuce. The pool of
	 * Jedis does not report new connections, so each command would have to ask whether
	 * the server has restarted.
	 * @param nodes the number of nodes
	 * @param timeout the time-out for connecting and for blocking commands
	 * @throws IllegalStateException if Lettuce is not on the class path
	 */
	static LettuceNodes nodes(int nodes, Duration timeout) {
		if (!LETTUCE) {
			throw new IllegalStateException("Lettuce is not on the class path");
		}
		return new LettuceNodes(nodes, timeout);
	}

}
