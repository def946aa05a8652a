package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.Executor;

import redis.clients.jedis.UnifiedJedis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Which driver a connection factory stands for. The classes that need an optional one are
 * only loaded where it is present.
 */
final class RedisDrivers {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisDrivers.class.getClassLoader());

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			RedisDrivers.class.getClassLoader());

	private RedisDrivers() {
	}

	static ScriptRunner runner(RedisConnectionFactory factory, Runnable reopened) {
		return (LETTUCE && Lettuce.isFactory(factory)) ? Lettuce.runner(factory, reopened)
				: new BlockingScriptRunner(factory);
	}

	static WakeUpSubscription subscription(RedisConnectionFactory factory, Executor subscriptions, Duration recovery,
			RedisWakeUpChannel channel) {
		return (LETTUCE && Lettuce.isFactory(factory))
				? new ContainerSubscription(factory, subscriptions, recovery, channel)
				: new BlockingSubscription(factory, channel);
	}

	/** Close a connection so that nobody gets it again. */
	static void discard(RedisConnection connection) {
		if (!JEDIS || !Jedis.isClient(connection)) {
			breakOff(connection);
			connection.close();
		}
	}

	/** See to it that a connection does not return to its pool when it is closed. */
	static void breakOff(RedisConnection connection) {
		if (JEDIS) {
			Jedis.breakOff(connection);
		}
	}

	static boolean isCluster(RedisConnectionFactory factory) {
		return (LETTUCE && Lettuce.isCluster(factory)) || (JEDIS && Jedis.isCluster(factory));
	}

	private static final class Lettuce {

		private Lettuce() {
		}

		static boolean isFactory(RedisConnectionFactory factory) {
			return factory instanceof LettuceConnectionFactory;
		}

		static boolean isCluster(RedisConnectionFactory factory) {
			return factory instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware();
		}

		static ScriptRunner runner(RedisConnectionFactory factory, Runnable reopened) {
			return new LettuceScriptRunner((LettuceConnectionFactory) factory, reopened);
		}

	}

	private static final class Jedis {

		private Jedis() {
		}

		static boolean isCluster(RedisConnectionFactory factory) {
			return factory instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware();
		}

		/** Whether it stands for a client that borrows for each command by itself. */
		static boolean isClient(RedisConnection connection) {
			return connection.getNativeConnection() instanceof UnifiedJedis;
		}

		static void breakOff(RedisConnection connection) {
			if (connection.getNativeConnection() instanceof redis.clients.jedis.Jedis jedis) {
				jedis.getConnection().setBroken();
			}
		}

	}

}
