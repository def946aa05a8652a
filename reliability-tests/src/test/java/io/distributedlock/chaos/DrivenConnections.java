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
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections of a driver that is led to proxies, whatever addresses it is told.
 */
final class DrivenConnections implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private final ClientResources resources;

	private final LettuceConnectionFactory factory;

	DrivenConnections(Route route) {
		this.resources = ClientResources.builder()
			.reconnectDelay(Delay.constant(Duration.ofMillis(100)))
			.socketAddressResolver(MappingSocketAddressResolver.create(
					(HostAndPort address) -> HostAndPort.of(address.getHostText(), route.detour(address.getPort()))))
			.build();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.shutdownQuietPeriod(Duration.ZERO)
			.clientResources(this.resources)
			.clientOptions(options(route.topology()))
			.build();
		this.factory = new LettuceConnectionFactory(configuration(route), client);
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	RedisConnectionFactory factory() {
		return this.factory;
	}

	private static ClientOptions options(TopologyKind topology) {
		SocketOptions socket = SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build();
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
			case SENTINEL -> {
				RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration()
					.master(RedisSentinels.MASTER_NAME);
				route.entries().forEach((port) -> sentinels.sentinel(HOST, port));
				yield sentinels;
			}
			case CLUSTER -> {
				RedisClusterConfiguration cluster = new RedisClusterConfiguration();
				route.entries().forEach((port) -> cluster.clusterNode(HOST, port));
				yield cluster;
			}
			default -> new RedisStandaloneConfiguration(HOST, route.entries().get(0));
		};
	}

	@Override
	public void close() {
		this.factory.destroy();
		this.resources.shutdown(0, 2, TimeUnit.SECONDS);
	}

}
