package io.distributedlock.chaos;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.LockStore;
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
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The store of a worker, with a connection as an application has it. */
final class WorkerStore implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private final ClientResources resources;

	private final LettuceConnectionFactory factory;

	private final LockStore store;

	WorkerStore(Route route) {
		this.resources = ClientResources.builder()
			.reconnectDelay(Delay.constant(Duration.ofMillis(100)))
			.socketAddressResolver(MappingSocketAddressResolver.create(
					(HostAndPort address) -> HostAndPort.of(address.getHostText(), route.detour(address.getPort()))))
			.build();
		this.factory = connect(route);
		this.store = new RedisLockStore(this.factory,
				new RedisStoreSettings("lock:", ChaosRun.RETENTION, ChaosSettings.COMMAND_TIMEOUT, true));
	}

	LockStore store() {
		return this.store;
	}

	private LettuceConnectionFactory connect(Route route) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.shutdownQuietPeriod(Duration.ZERO)
			.clientResources(this.resources)
			.clientOptions(options(route.topology()))
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(route), client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static ClientOptions options(TopologyKind topology) {
		SocketOptions socket = SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build();
		if (topology != TopologyKind.CLUSTER) {
			return ClientOptions.builder().socketOptions(socket).build();
		}
		return ClusterClientOptions.builder()
			.socketOptions(socket)
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
				.enableAllAdaptiveRefreshTriggers()
				.enablePeriodicRefresh(Duration.ofSeconds(1))
				.build())
			.build();
	}

	private static RedisConfiguration configuration(Route route) {
		switch (route.topology()) {
			case SENTINEL -> {
				RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration()
					.master(RedisSentinels.MASTER_NAME);
				route.entries().forEach((port) -> sentinels.sentinel(HOST, port));
				return sentinels;
			}
			case CLUSTER -> {
				RedisClusterConfiguration cluster = new RedisClusterConfiguration();
				route.entries().forEach((port) -> cluster.clusterNode(HOST, port));
				return cluster;
			}
			default -> {
				return new RedisStandaloneConfiguration(HOST, route.entries().get(0));
			}
		}
	}

	@Override
	public void close() {
		this.factory.destroy();
		this.resources.shutdown(0, 2, TimeUnit.SECONDS);
	}

}
