package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories for servers that belong together, with the settings that the
 * documentation asks for. Their user has the documented permissions and no more.
 */
public final class TopologyDrivers {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private TopologyDrivers() {
	}

	public static RedisConnectionFactory cluster(DriverUnderTest driver, List<RedisServer> nodes) {
		return cluster(driver, nodes, TIMEOUT);
	}

	/** Unlike in the documentation, Lettuce asks no other node where one is given. */
	static RedisConnectionFactory cluster(DriverUnderTest driver, List<RedisServer> nodes, Duration timeout) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		nodes.forEach((node) -> configuration.clusterNode(node.host(), node.port()));
		configuration.setUsername(LeastPrivilege.USER);
		configuration.setPassword(LeastPrivilege.PASSWORD);
		return (driver == DriverUnderTest.JEDIS) ? started(new JedisConnectionFactory(configuration, jedis(timeout)))
				: started(new LettuceConnectionFactory(configuration, lettuce(timeout, nodes.size() > 1)));
	}

	/** As Spring Boot makes it when nothing else is configured. */
	public static RedisConnectionFactory plainLettuceCluster(List<RedisServer> nodes) {
		return started(new LettuceConnectionFactory(configuration(nodes)));
	}

	private static RedisClusterConfiguration configuration(List<RedisServer> nodes) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		nodes.forEach((node) -> configuration.clusterNode(node.host(), node.port()));
		return configuration;
	}

	static RedisConnectionFactory sentinel(DriverUnderTest driver, RedisSentinels sentinels) {
		return sentinel(driver, sentinels, TIMEOUT);
	}

	static RedisConnectionFactory sentinel(DriverUnderTest driver, RedisSentinels sentinels, Duration timeout) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.master(RedisSentinels.MASTER_NAME);
		configuration.setUsername(LeastPrivilege.USER);
		configuration.setPassword(LeastPrivilege.PASSWORD);
		sentinels.sentinels().forEach((node) -> configuration.sentinel(node.host(), node.port()));
		return (driver == DriverUnderTest.JEDIS) ? started(new JedisConnectionFactory(configuration, jedis(timeout)))
				: started(new LettuceConnectionFactory(configuration, lettuce(timeout, true)));
	}

	private static JedisConnectionFactory started(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static JedisClientConfiguration jedis(Duration timeout) {
		return JedisClientConfiguration.builder().connectTimeout(timeout).readTimeout(timeout).usePooling().build();
	}

	private static LettuceClientConfiguration lettuce(Duration timeout, boolean asksAllNodes) {
		ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
			.enablePeriodicRefresh(Duration.ofSeconds(10))
			.dynamicRefreshSources(asksAllNodes)
			.build();
		return LettuceClientConfiguration.builder()
			.shutdownQuietPeriod(Duration.ZERO)
			.commandTimeout(timeout)
			.clientOptions(ClusterClientOptions.builder()
				.topologyRefreshOptions(refresh)
				.socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
				.build())
			.build();
	}

}
