package io.distributedlock.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lettuce.core.AbstractRedisClient;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
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

	static boolean hasLettuce() {
		return LETTUCE;
	}

	static boolean hasJedis() {
		return JEDIS;
	}

	/**
	 * Connections of the locks alone, made like those of the application.
	 * @param application the application's factory, which is only read
	 * @param timeout how long opening a connection may take
	 * @return a factory that is also a {@link org.springframework.context.Lifecycle} and
	 * is to be destroyed, or the one of the application where it is no plain one of
	 * Lettuce or Jedis but a subclass or a proxy, since what such a one does differently
	 * is not known
	 */
	static RedisConnectionFactory own(RedisConnectionFactory application, Duration timeout) {
		if (LETTUCE && Lettuce.isPlain(application)) {
			return Lettuce.own((LettuceConnectionFactory) application, timeout);
		}
		return (JEDIS && Jedis.isPlain(application)) ? Jedis.own(application, timeout) : application;
	}

	static ScriptRunner runner(RedisConnectionFactory factory, Function<byte[], String> nodes, boolean own,
			Runnable reopened) {
		return (LETTUCE && Lettuce.isFactory(factory))
				? Lettuce.runner(factory, own ? new Silence(nodes, System::nanoTime) : null, reopened)
				: new BlockingScriptRunner(factory, nodes);
	}

	/**
	 * Connections of their own for scripts with a WAIT.
	 * @throws IllegalArgumentException if the driver is not known to give such
	 */
	static DedicatedConnections dedicated(RedisConnectionFactory factory, Duration patience) {
		if (LETTUCE && Lettuce.isFactory(factory)) {
			return Lettuce.dedicated(factory, patience);
		}
		if (JEDIS && Jedis.isFactory(factory)) {
			return Jedis.dedicated(factory);
		}
		throw new IllegalArgumentException(
				"Replicas can only confirm locks through the connection factories of Lettuce "
						+ "and Jedis, not through " + factory.getClass().getName());
	}

	static WakeUpSubscription subscription(RedisConnectionFactory factory, Executor subscriptions, Duration recovery,
			RedisWakeUpChannel channel) {
		return (LETTUCE && Lettuce.isFactory(factory))
				? new ContainerSubscription(factory, subscriptions, recovery, channel)
				: new BlockingSubscription(factory, channel);
	}

	/** Whether there may be sharded channels: the server has the last word. */
	static boolean hasShardChannels(RedisConnectionFactory factory) {
		return LETTUCE && Lettuce.isCluster(factory);
	}

	static ShardChannels shardChannels(RedisConnectionFactory factory, ShardChannels.Listener listener) {
		return Lettuce.shardChannels(factory, listener);
	}

	/** Whether subscribing blocks its thread until the subscription ends. */
	static boolean subscribesInCaller(RedisConnectionFactory factory) {
		return !(LETTUCE && Lettuce.isFactory(factory));
	}

	/** As whom the connections log in, for messages. */
	static String user(RedisConnectionFactory factory) {
		String user = (configuration(factory) instanceof RedisConfiguration.WithAuthentication login)
				? login.getUsername() : null;
		return (user != null) ? user : "default";
	}

	/** Host and port of a server that is alone, for messages. */
	static String address(RedisConnectionFactory factory) {
		return (configuration(factory) instanceof RedisStandaloneConfiguration alone)
				? alone.getHostName() + ':' + alone.getPort() : "";
	}

	/** Where Redis is, for messages: without user and password. */
	static String place(RedisConnectionFactory factory) {
		RedisConfiguration configuration = configuration(factory);
		if (configuration instanceof RedisConfiguration.SentinelConfiguration group) {
			NamedNode master = group.getMaster();
			return "master '%s' of the Sentinels %s".formatted((master != null) ? master.getName() : "",
					list(group.getSentinels()));
		}
		return (configuration instanceof RedisConfiguration.ClusterConfiguration cluster)
				? "cluster of " + list(cluster.getClusterNodes()) : address(factory);
	}

	/** How many Sentinels know where Redis is, zero where they are not used. */
	static int sentinels(RedisConnectionFactory factory) {
		return (configuration(factory) instanceof RedisConfiguration.SentinelConfiguration group)
				? group.getSentinels().size() : 0;
	}

	private static String list(Set<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

	/** Why the driver cannot connect again, from now on. */
	static Reconnects reconnects(RedisConnectionFactory factory, boolean own) {
		return (LETTUCE && Lettuce.isFactory(factory)) ? Lettuce.reconnects(factory, own) : Reconnects.TOLD_BY_COMMANDS;
	}

	private static @Nullable RedisConfiguration configuration(RedisConnectionFactory factory) {
		if (LETTUCE && Lettuce.isFactory(factory)) {
			return Lettuce.configuration(factory);
		}
		return (JEDIS && Jedis.isFactory(factory)) ? Jedis.configuration(factory) : null;
	}

	private static @Nullable RedisConfiguration first(@Nullable RedisConfiguration cluster,
			@Nullable RedisConfiguration sentinel, @Nullable RedisConfiguration standalone) {
		return (cluster != null) ? cluster : (sentinel != null) ? sentinel : standalone;
	}

	/** Borrow a connection that can be subscribed on. */
	static SubscribingConnection subscribing(RedisConnectionFactory factory) {
		RedisConnection connection = factory.getConnection();
		return (JEDIS && subscribesInCaller(factory)) ? JedisSubscribing.of(connection)
				: new SpringSubscribing(connection, false);
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

		static boolean isPlain(RedisConnectionFactory factory) {
			return factory.getClass() == LettuceConnectionFactory.class;
		}

		/** A client that is not there yet says nothing of how it connects. */
		static Reconnects reconnects(RedisConnectionFactory factory, boolean own) {
			AbstractRedisClient client = ((LettuceConnectionFactory) factory).getNativeClient();
			return (client != null) ? new LettuceReconnects(client, own) : Reconnects.TOLD_BY_COMMANDS;
		}

		/**
		 * Only the field has the configuration of each kind: the methods take a static
		 * primary with replicas for a server on the local host. The field of a proxy is
		 * empty.
		 */
		static @Nullable RedisConfiguration configuration(RedisConnectionFactory factory) {
			return (RedisConfiguration) new DirectFieldAccessor(factory).getPropertyValue("configuration");
		}

		static RedisConnectionFactory own(LettuceConnectionFactory application, Duration timeout) {
			return new LettuceOwnConnections(Objects.requireNonNull(configuration(application)),
					application.getClientConfiguration(), timeout);
		}

		static ScriptRunner runner(RedisConnectionFactory factory, @Nullable Silence silence, Runnable reopened) {
			return new LettuceScriptRunner((LettuceConnectionFactory) factory, silence, reopened);
		}

		static ShardChannels shardChannels(RedisConnectionFactory factory, ShardChannels.Listener listener) {
			return new LettuceShardChannels((LettuceConnectionFactory) factory, listener);
		}

		static DedicatedConnections dedicated(RedisConnectionFactory factory, Duration patience) {
			return new LettuceDedicatedConnections((LettuceConnectionFactory) factory, patience);
		}

	}

	private static final class Jedis {

		private Jedis() {
		}

		static boolean isFactory(RedisConnectionFactory factory) {
			return factory instanceof JedisConnectionFactory;
		}

		static boolean isCluster(RedisConnectionFactory factory) {
			return factory instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware();
		}

		static DedicatedConnections dedicated(RedisConnectionFactory factory) {
			return new JedisDedicatedConnections((JedisConnectionFactory) factory);
		}

		static boolean isPlain(RedisConnectionFactory factory) {
			return factory.getClass() == JedisConnectionFactory.class;
		}

		static RedisConnectionFactory own(RedisConnectionFactory application, Duration timeout) {
			return JedisOwnConnections.of((JedisConnectionFactory) application, timeout);
		}

		static @Nullable RedisConfiguration configuration(RedisConnectionFactory factory) {
			JedisConnectionFactory jedis = (JedisConnectionFactory) factory;
			return first(jedis.getClusterConfiguration(), jedis.getSentinelConfiguration(),
					jedis.getStandaloneConfiguration());
		}

		static void breakOff(RedisConnection connection) {
			if (connection.getNativeConnection() instanceof redis.clients.jedis.Jedis jedis) {
				jedis.getConnection().setBroken();
			}
		}

	}

}
