package io.distributedlock.redis.internal.jedis;

import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections to the primary that Sentinels name. If none names one, Jedis does not
 * report the reason, so they are asked once more.
 */
final class JedisSentinelConnections extends JedisConnectionFactory {

	private final RedisSentinelConfiguration group;

	JedisSentinelConnections(RedisSentinelConfiguration group, JedisClientConfiguration settings) {
		super(group, settings);
		this.group = group;
	}

	@Override
	public void start() {
		try {
			super.start();
		}
		catch (RuntimeException ex) {
			for (RedisNode sentinel : this.group.getSentinels()) {
				RuntimeException said = said(sentinel);
				ex.addSuppressed(said);
				if (NestedExceptionUtils.getMostSpecificCause(said) instanceof SocketTimeoutException) {
					// In an outage each Sentinel would take as long, and commands wait
					// for this.
					break;
				}
			}
			throw ex;
		}
	}

	private RuntimeException said(RedisNode sentinel) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(
				Objects.requireNonNull(sentinel.getHost()), Objects.requireNonNull(sentinel.getPort()));
		server.setUsername(this.group.getSentinelUsername());
		server.setPassword(this.group.getSentinelPassword());
		JedisConnectionFactory factory = new JedisConnectionFactory(server, getClientConfiguration());
		try {
			factory.afterPropertiesSet();
			factory.start();
			return new IllegalStateException(primary(factory));
		}
		catch (RuntimeException ex) {
			return new IllegalStateException("Cannot connect to a Redis Sentinel: " + sentinel.asString(), ex);
		}
		finally {
			factory.destroy();
		}
	}

	/**
	 * Return the answer of a Sentinel, in the words of Jedis if it knows no such master.
	 */
	private String primary(JedisConnectionFactory sentinel) {
		String name = Objects.requireNonNull(this.group.getMaster()).getName();
		try (RedisConnection connection = sentinel.getConnection()) {
			Object found = connection.execute("SENTINEL", utf8("get-master-addr-by-name"), utf8(name));
			return (found != null) ? "The Sentinel answers now" : name + " seems to be not monitored";
		}
	}

	private static byte[] utf8(@Nullable String text) {
		return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
	}

}
