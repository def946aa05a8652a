package io.distributedlock.redis.internal.jedis;

import java.util.function.Supplier;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import io.distributedlock.redis.internal.driver.ClientSettings;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Makes connection factories of Jedis with the settings of another driver. */
public final class JedisFactory {

	private JedisFactory() {
	}

	/** Return whether a connection factory is that of Jedis. */
	public static boolean isOne(RedisConnectionFactory factory) {
		return factory instanceof JedisConnectionFactory;
	}

	/**
	 * Create a connection factory. Opens nothing.
	 * @param settings the settings
	 * @param sockets returns the maker of connections, asked if they are encrypted
	 * @param parameters the protocols and ciphers; changed if names are to be compared
	 * @throws IllegalArgumentException if Jedis cannot connect to servers of that kind;
	 * the message goes on after "jedis"
	 */
	public static RedisConnectionFactory of(ClientSettings settings, Supplier<SSLSocketFactory> sockets,
			SSLParameters parameters) {
		JedisClientConfigurationBuilder client = JedisClientConfiguration.builder().readTimeout(settings.readTimeout());
		if (settings.connectTimeout() != null) {
			client.connectTimeout(settings.connectTimeout());
		}
		if (settings.clientName() != null) {
			client.clientName(settings.clientName());
		}
		if (settings.tls()) {
			if (settings.namesCompared()) {
				parameters.setEndpointIdentificationAlgorithm("HTTPS");
			}
			client.useSsl().sslSocketFactory(sockets.get()).sslParameters(parameters);
		}
		if (settings.servers() instanceof RedisStandaloneConfiguration server) {
			return new JedisConnectionFactory(server, client.build());
		}
		if (settings.servers() instanceof RedisSentinelConfiguration group) {
			return new JedisConnectionFactory(group, client.build());
		}
		if (settings.servers() instanceof RedisClusterConfiguration cluster) {
			return new JedisConnectionFactory(attempts(cluster), client.build());
		}
		throw new IllegalArgumentException("works with a single server, Sentinel and a cluster, and found "
				+ settings.servers().getClass().getSimpleName());
	}

	/** Jedis counts attempts, the first included, where Lettuce counts redirects. */
	private static RedisClusterConfiguration attempts(RedisClusterConfiguration cluster) {
		RedisClusterConfiguration counted = new RedisClusterConfiguration();
		counted.setClusterNodes(cluster.getClusterNodes());
		counted.setUsername(cluster.getUsername());
		counted.setPassword(cluster.getPassword());
		if (cluster.getMaxRedirects() != null) {
			counted.setMaxRedirects(cluster.getMaxRedirects() + 1);
		}
		return counted;
	}

}
