package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;

import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The drivers that an application may bring, for one server or servers that belong
 * together, with the settings that the documentation asks for.
 */
enum Driver {

	LETTUCE {

		@Override
		RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(servers,
					LettuceClientConfiguration.builder()
						.shutdownQuietPeriod(Duration.ZERO)
						.commandTimeout(timeout)
						.clientOptions(options(servers))
						.build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	},

	JEDIS {

		@Override
		RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout) {
			JedisConnectionFactory factory = jedis(servers,
					JedisClientConfiguration.builder()
						.connectTimeout(CONNECT_TIMEOUT)
						.readTimeout(timeout)
						.usePooling()
						.build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	};

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * The default of Lettuce. No test on one server passes only because a driver is
	 * impatient.
	 */
	private static final Duration PATIENT = Duration.ofSeconds(60);

	/** A new connection factory, which is started. */
	abstract RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout);

	/** A new connection factory, which is started and waits a minute for an answer. */
	final RedisConnectionFactory connect(String host, int port) {
		return connect(new RedisStandaloneConfiguration(host, port), PATIENT);
	}

	static RedisConfiguration cluster(List<RedisServer> nodes) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		nodes.forEach((node) -> configuration.clusterNode(node.host(), node.port()));
		return configuration;
	}

	static RedisConfiguration sentinel(RedisSentinels sentinels) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.master(RedisSentinels.MASTER_NAME);
		sentinels.sentinels().forEach((node) -> configuration.sentinel(node.host(), node.port()));
		return configuration;
	}

	/** The options of Spring Boot for refresh.adaptive=true and refresh.period=2s. */
	private static ClientOptions options(RedisConfiguration servers) {
		SocketOptions socket = SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).build();
		if (servers instanceof RedisStandaloneConfiguration) {
			return ClientOptions.builder().socketOptions(socket).build();
		}
		return ClusterClientOptions.builder()
			.topologyRefreshOptions(
					ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(Duration.ofSeconds(2)).build())
			.socketOptions(socket)
			.build();
	}

	private static JedisConnectionFactory jedis(RedisConfiguration servers, JedisClientConfiguration client) {
		if (servers instanceof RedisClusterConfiguration cluster) {
			return new JedisConnectionFactory(cluster, client);
		}
		if (servers instanceof RedisSentinelConfiguration sentinel) {
			return new JedisConnectionFactory(sentinel, client);
		}
		return new JedisConnectionFactory((RedisStandaloneConfiguration) servers, client);
	}

}
