package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.distributedlock.store.LockKey;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link RedisLockStore} as far as it needs no server. */
class RedisLockStoreTests {

	private static final List<LockKey> ANYWHERE = List.of(new LockKey("", "a"), new LockKey("", "b"));

	private static final RedisClusterConfiguration CLUSTER = new RedisClusterConfiguration(List.of("localhost:1"));

	@ParameterizedTest
	@MethodSource("withoutCluster")
	void takesTogetherWhenThereIsNoClusterWhateverTheKeys(RedisConnectionFactory factory) {
		assertThat(takesTogether(factory, ANYWHERE)).isTrue();
	}

	/** A proxy has the methods of its target, and nothing in its fields. */
	@ParameterizedTest
	@MethodSource("withoutCluster")
	void storeWhenTheFactoryIsBehindAProxyUsesTheProxy(RedisConnectionFactory factory) {
		ProxyFactory proxies = new ProxyFactory(factory);
		proxies.setProxyTargetClass(true);
		RedisConnectionFactory proxy = (RedisConnectionFactory) proxies.getProxy();
		assertThat(LockConnections.of(proxy, RedisStoreSettings.DEFAULTS).scripts().factory()).isSameAs(proxy);
		assertThat(takesTogether(proxy, ANYWHERE)).isTrue();
	}

	/**
	 * No connection waits without end, the first one as long as the application's, and
	 * the sources of the topology may be configured.
	 */
	@Test
	void connectionsOfTheLocksAreBoundedAndAskTheChosenNodes() {
		ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
			.dynamicRefreshSources(false)
			.build();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.commandTimeout(Duration.ZERO)
			.clientOptions(ClusterClientOptions.builder().topologyRefreshOptions(refresh).build())
			.build();
		try (LockConnections own = LockConnections.of(new LettuceConnectionFactory(CLUSTER, client),
				RedisStoreSettings.DEFAULTS)) {
			LettuceConnectionFactory factory = (LettuceConnectionFactory) own.scripts().factory();
			LettuceClientConfiguration made = factory.getClientConfiguration();
			assertThat(made.getCommandTimeout()).isEqualTo(SocketOptions.DEFAULT_CONNECT_TIMEOUT_DURATION);
			assertThat(factory.getTimeout()).isEqualTo(2_000);
			ClusterTopologyRefreshOptions asked = ((ClusterClientOptions) made.getClientOptions().orElseThrow())
				.getTopologyRefreshOptions();
			assertThat(asked.useDynamicRefreshSources()).isFalse();
			assertThat(asked.isPeriodicRefreshEnabled()).isTrue();
		}
	}

	/** Options that Lettuce gained after its cluster options were left out. */
	@Test
	void connectionsOnOneServerHaveAllOptionsOfTheApplication() {
		ClientOptions chosen = ClientOptions.builder()
			.maintNotificationsConfig(MaintNotificationsConfig.disabled())
			.jsonParser(() -> null)
			.build();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder().clientOptions(chosen).build();
		try (LockConnections own = LockConnections.of(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration(), client),
				RedisStoreSettings.DEFAULTS)) {
			ClientOptions made = ((LettuceConnectionFactory) own.scripts().factory()).getClientConfiguration()
				.getClientOptions()
				.orElseThrow();
			assertThat(made.getMaintNotificationsConfig()).isSameAs(chosen.getMaintNotificationsConfig());
			assertThat(made.getJsonParser()).isSameAs(chosen.getJsonParser());
		}
	}

	static Stream<RedisConnectionFactory> withoutCluster() {
		return Stream.of(new LettuceConnectionFactory(), new JedisConnectionFactory(),
				new LettuceConnectionFactory(new RedisSentinelConfiguration("main", Set.of("localhost:1"))));
	}

	@ParameterizedTest
	@MethodSource("withCluster")
	void takesTogetherWhenThereIsAClusterOnlyInOneSlot(RedisConnectionFactory factory) {
		assertThat(takesTogether(factory, ANYWHERE)).isFalse();
		assertThat(takesTogether(factory, List.of(new LockKey("x", "{order}a"), new LockKey("y", "b{order}"))))
			.isTrue();
		assertThat(takesTogether(factory,
				List.of(new LockKey("", "{order}a"), new LockKey("", "{order}b"), new LockKey("", "{other}c"))))
			.isFalse();
	}

	static Stream<RedisConnectionFactory> withCluster() {
		return Stream.of(new LettuceConnectionFactory(CLUSTER), new JedisConnectionFactory(CLUSTER));
	}

	/**
	 * Only the first valid hash tag counts; a tag that is cut off by shortening is none.
	 */
	@Test
	void takesTogetherWhenTheTagIsNoneIsRefusedOnACluster() {
		RedisConnectionFactory factory = new LettuceConnectionFactory(CLUSTER);
		assertThat(takesTogether(factory, List.of(new LockKey("", "{}{order}a"), new LockKey("", "{}{order}b"))))
			.isFalse();
		String longTag = "{" + "x".repeat(300) + "}";
		assertThat(takesTogether(factory, List.of(new LockKey("", longTag + "a"), new LockKey("", longTag + "b"))))
			.isFalse();
	}

	private static boolean takesTogether(RedisConnectionFactory factory, List<LockKey> keys) {
		try (RedisLockStore store = new RedisLockStore(factory, RedisStoreSettings.DEFAULTS)) {
			return store.takesTogether(keys);
		}
	}

}
