package io.distributedlock.redis.internal.jedis;

import java.time.Duration;

import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.redis.internal.driver.CallerLane;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisTarget;
import io.distributedlock.redis.internal.driver.SpringDriver;
import io.distributedlock.redis.internal.driver.SubscribingConnection;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The driver for Jedis, which blocks a thread for each command and for a subscription. A
 * caller that waits for its answer may lend its own thread to the command. It also serves
 * connection factories of unknown kinds, whose connections may be those of Jedis.
 */
public final class JedisDriver extends SpringDriver {

	/**
	 * Create a driver.
	 * @param factory the application's factory, maybe a proxy that gives connections of
	 * Jedis; neither changed nor closed
	 */
	public JedisDriver(RedisConnectionFactory factory) {
		super(factory);
	}

	@Override
	public RedisTarget target() {
		return (factory() instanceof JedisConnectionFactory jedis)
				? new RedisTarget(configuration(jedis), jedis.isUseSsl()) : RedisTarget.UNKNOWN;
	}

	private static @Nullable RedisConfiguration configuration(JedisConnectionFactory jedis) {
		RedisConfiguration cluster = jedis.getClusterConfiguration();
		RedisConfiguration group = jedis.getSentinelConfiguration();
		return (cluster != null) ? cluster : (group != null) ? group : jedis.getStandaloneConfiguration();
	}

	/**
	 * Return the factory for TLS. If the server rejects the certificate of the client,
	 * Jedis may have begun to write, and then finds only that the connection has ended.
	 */
	@Override
	public @Nullable SSLSocketFactory handshakes() {
		return (factory() instanceof JedisConnectionFactory jedis && jedis.isUseSsl()) ? jedis.getClientConfiguration()
			.getSslSocketFactory()
			.orElseGet(() -> (SSLSocketFactory) SSLSocketFactory.getDefault()) : null;
	}

	@Override
	public boolean isCluster() {
		return factory() instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware();
	}

	@Override
	public RedisDriver own(Duration timeout) {
		return (factory().getClass() != JedisConnectionFactory.class) ? this
				: new JedisDriver(JedisOwnConnections.of((JedisConnectionFactory) factory(), timeout));
	}

	@Override
	protected @Nullable CallerLane callerLane() {
		return (factory() instanceof JedisOwnConnections own) ? own.lane() : null;
	}

	@Override
	protected void breakOff(RedisConnection connection) {
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			jedis.getConnection().setBroken();
		}
	}

	@Override
	public SubscribingConnection subscribing() {
		return JedisSubscribing.of(factory().getConnection());
	}

}
