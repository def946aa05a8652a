package io.distributedlock.redis.internal.jedis;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

import org.springframework.aop.support.AopUtils;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Jedis connections of the locks alone, with the configuration of the application, a pool
 * that the application cannot exhaust, and short time-outs. A client for a cluster or
 * Sentinel connects as soon as it is made. It is made at the first use, and again after a
 * failure, so the start does not wait for Redis.
 */
final class JedisOwnConnections extends JedisConnectionFactory {

	/** Maximum per node: more than the threads that use one at the same time. */
	private static final int MOST_CONNECTIONS = 16;

	private final Supplier<JedisConnectionFactory> maker;

	/** The real factory, made at the first use while the monitor is held. */
	private volatile @Nullable JedisConnectionFactory current;

	private volatile boolean running = true;

	/**
	 * Only for a single server. With Sentinel a kept connection may lead to a replaced
	 * primary, and in a cluster each key needs its own.
	 */
	private final @Nullable JedisCallerLane lane;

	private JedisOwnConnections(RedisStandaloneConfiguration server, JedisClientConfiguration settings) {
		super(server, settings);
		this.maker = () -> new JedisConnectionFactory(server, settings);
		this.lane = new JedisCallerLane(this::borrow);
	}

	private JedisOwnConnections(RedisSentinelConfiguration group, JedisClientConfiguration settings) {
		super(group, settings);
		this.maker = () -> new JedisSentinelConnections(group, settings);
		this.lane = null;
	}

	private JedisOwnConnections(RedisClusterConfiguration cluster, JedisClientConfiguration settings) {
		super(cluster, settings);
		this.maker = () -> new JedisConnectionFactory(cluster, settings);
		this.lane = null;
	}

	/**
	 * Create the factory. Opens nothing.
	 * @param application the factory of the application
	 * @param timeout the time-out for opening a connection and for reading an answer
	 */
	static JedisOwnConnections of(JedisConnectionFactory application, Duration timeout) {
		JedisClientConfiguration settings = settings(application.getClientConfiguration(), timeout);
		RedisClusterConfiguration cluster = application.getClusterConfiguration();
		RedisSentinelConfiguration group = application.getSentinelConfiguration();
		return (cluster != null) ? new JedisOwnConnections(cluster, settings) : (group != null)
				? new JedisOwnConnections(group, settings)
				: new JedisOwnConnections(Objects.requireNonNull(application.getStandaloneConfiguration()), settings);
	}

	@Override
	public RedisConnection getConnection() {
		return current().getConnection();
	}

	/** Borrow a plain connection; Spring Data Redis before 4.1 has none. */
	private @Nullable Connection borrow() {
		RedisConnection given = getConnection();
		Connection taken = JedisPools.borrowAnother(given.getNativeConnection());
		if (taken == null) {
			given.close();
		}
		return taken;
	}

	@Nullable JedisCallerLane lane() {
		return this.lane;
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return current().getClusterConnection();
	}

	private JedisConnectionFactory current() {
		JedisConnectionFactory made = this.current;
		return (made != null) ? made : make();
	}

	/** Make the real factory, also after a failed start: a factory starts only once. */
	private synchronized JedisConnectionFactory make() {
		JedisConnectionFactory made = this.current;
		if (made == null && this.running) {
			made = this.maker.get();
			made.afterPropertiesSet();
			made.start();
			this.current = made;
		}
		if (made == null || !this.running) {
			stop();
			throw new IllegalStateException("The connections of the locks are closed");
		}
		return made;
	}

	@Override
	public void start() {
		this.running = true;
	}

	/**
	 * Close the connections. Does not wait for one that is being opened, which ends by
	 * itself.
	 */
	@Override
	public void stop() {
		this.running = false;
		JedisConnectionFactory made = this.current;
		this.current = null;
		if (this.lane != null) {
			this.lane.endAll();
		}
		if (made != null) {
			made.destroy();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public void destroy() {
		stop();
	}

	/**
	 * The settings of the application with those that locks need. A proxy has also those
	 * that a newer Spring Data Redis adds.
	 */
	private static JedisClientConfiguration settings(JedisClientConfiguration application, Duration timeout) {
		GenericObjectPoolConfig<?> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(MOST_CONNECTIONS);
		pool.setMaxIdle(MOST_CONNECTIONS);
		pool.setMaxWait(timeout);
		Class<?> type = JedisClientConfiguration.class;
		return (JedisClientConfiguration) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "isUsePooling" -> true;
					case "getPoolConfig" -> Optional.of(pool);
					case "getConnectTimeout" -> least(application.getConnectTimeout(), timeout);
					case "getReadTimeout" -> least(application.getReadTimeout(), timeout);
					default -> AopUtils.invokeJoinpointUsingReflection(application, method, arguments);
				});
	}

	/** Return the shorter time. A chosen time of zero means no limit. */
	private static Duration least(Duration chosen, Duration timeout) {
		return (!chosen.isZero() && chosen.compareTo(timeout) < 0) ? chosen : timeout;
	}

}
