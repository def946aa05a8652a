package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;

import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The drivers that an application may bring, for servers that belong together, with the
 * settings that the documentation asks for.
 */
enum TopologyDriver {

	LETTUCE {

		@Override
		RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout) {
			LettuceConnectionFactory factory = (servers instanceof RedisClusterConfiguration cluster)
					? new LettuceConnectionFactory(cluster, lettuce(timeout))
					: new LettuceConnectionFactory((RedisSentinelConfiguration) servers, lettuce(timeout));
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	},

	JEDIS {

		@Override
		RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout) {
			JedisClientConfiguration client = JedisClientConfiguration.builder()
				.connectTimeout(Duration.ofSeconds(2))
				.readTimeout(timeout)
				.usePooling()
				.build();
			JedisConnectionFactory factory = (servers instanceof RedisClusterConfiguration cluster)
					? new JedisConnectionFactory(cluster, client)
					: new JedisConnectionFactory((RedisSentinelConfiguration) servers, client);
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	};

	abstract RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout);

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

	/** What Spring Boot makes of refresh.adaptive=true and refresh.period=2s. */
	private static LettuceClientConfiguration lettuce(Duration timeout) {
		return LettuceClientConfiguration.builder()
			.shutdownQuietPeriod(Duration.ZERO)
			.commandTimeout(timeout)
			.clientOptions(ClusterClientOptions.builder()
				.topologyRefreshOptions(
						ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(Duration.ofSeconds(2)).build())
				.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(2)).build())
				.build())
			.build();
	}

}
