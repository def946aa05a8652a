package io.distributedlock.chaos;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisSentinels;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.MappingSocketAddressResolver;

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
 * Connections of a driver that is led to proxies, whatever addresses it is told.
 */
final class DrivenConnections implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

	private final RedisConnectionFactory factory;

	private final AutoCloseable end;

	private DrivenConnections(RedisConnectionFactory factory, AutoCloseable end) {
		this.factory = factory;
		this.end = end;
	}

	static DrivenConnections open(Route route) {
		return (route.driver() == ChaosDriver.JEDIS) ? jedis(route) : lettuce(route);
	}

	private static DrivenConnections lettuce(Route route) {
		ClientResources resources = ClientResources.builder()
			.reconnectDelay(Delay.constant(Duration.ofMillis(100)))
			.socketAddressResolver(MappingSocketAddressResolver.create(
					(HostAndPort address) -> HostAndPort.of(address.getHostText(), route.detour(address.getPort()))))
			.build();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.shutdownQuietPeriod(Duration.ZERO)
			.clientResources(resources)
			.clientOptions(options(route.topology()))
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(route), client);
		factory.afterPropertiesSet();
		factory.start();
		return new DrivenConnections(factory, () -> {
			factory.destroy();
			resources.shutdown(0, 2, TimeUnit.SECONDS);
		});
	}

	private static DrivenConnections jedis(Route route) {
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.customizeClientConfig((config) -> config
				.hostAndPortMapper((address) -> new redis.clients.jedis.HostAndPort(address.getHost(),
						route.detour(address.getPort()))))
			.connectTimeout(CONNECT_TIMEOUT)
			.usePooling()
			.build();
		JedisConnectionFactory factory = switch (route.topology()) {
			case SENTINEL -> new JedisConnectionFactory(sentinels(route), client);
			case CLUSTER -> new JedisConnectionFactory(cluster(route), client);
			default -> new JedisConnectionFactory(alone(route), client);
		};
		factory.afterPropertiesSet();
		factory.start();
		return new DrivenConnections(factory, factory::destroy);
	}

	RedisConnectionFactory factory() {
		return this.factory;
	}

	private static ClientOptions options(TopologyKind topology) {
		SocketOptions socket = SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).build();
		if (topology != TopologyKind.CLUSTER) {
			return ClientOptions.builder().socketOptions(socket).build();
		}
		return ClusterClientOptions.builder()
			.socketOptions(socket)
			.topologyRefreshOptions(
					ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(Duration.ofSeconds(1)).build())
			.build();
	}

	private static RedisConfiguration configuration(Route route) {
		return switch (route.topology()) {
			case SENTINEL -> sentinels(route);
			case CLUSTER -> cluster(route);
			default -> alone(route);
		};
	}

	private static RedisSentinelConfiguration sentinels(Route route) {
		RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master(RedisSentinels.MASTER_NAME);
		route.entries().forEach((port) -> sentinels.sentinel(HOST, port));
		return sentinels;
	}

	private static RedisClusterConfiguration cluster(Route route) {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration();
		route.entries().forEach((port) -> cluster.clusterNode(HOST, port));
		return cluster;
	}

	private static RedisStandaloneConfiguration alone(Route route) {
		return new RedisStandaloneConfiguration(HOST, route.detour(route.entries().get(0)));
	}

	@Override
	public void close() throws Exception {
		this.end.close();
	}

}
