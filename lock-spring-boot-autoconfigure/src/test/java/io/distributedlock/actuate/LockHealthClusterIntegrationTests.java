package io.distributedlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.DriverUnderTest;
import io.distributedlock.redis.LeastPrivilege;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.TopologyDrivers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Health on a cluster, where each primary has locks of its own. */
class LockHealthClusterIntegrationTests {

	/** A node that is well answers by then on a busy machine too. */
	private static final Duration PATIENT = Duration.ofSeconds(5);

	/** For tests of a node that does not answer. */
	private static final Duration IMPATIENT = Duration.ofMillis(500);

	/** A node that is silent for a test keeps its role. */
	private static final Duration NO_FAIL_OVER = Duration.ofMinutes(1);

	private static final Duration QUICK_FAIL_OVER = Duration.ofMillis(1500);

	private static RedisCluster cluster;

	private RedisConnectionFactory factory;

	private DefaultLockRegistry registry;

	@BeforeAll
	static void startServers() {
		cluster = RedisCluster.start(LeastPrivilege.clusterSettings());
		allowSilence(NO_FAIL_OVER);
	}

	@AfterAll
	static void stopServers() {
		cluster.close();
	}

	@AfterEach
	void close() {
		this.registry.close();
		DriverUnderTest.close(this.factory);
	}

	private static void allowSilence(Duration silence) {
		String millis = Long.toString(silence.toMillis());
		cluster.nodes()
			.stream()
			.filter(RedisServer::isRunning)
			.forEach((node) -> node.ask("CONFIG", "SET", "cluster-node-timeout", millis));
	}

	/** A registry that has met all primaries. */
	private void start(DriverUnderTest driver, Duration commandTimeout) {
		RedisStoreSettings settings = new RedisStoreSettings("lock:", Duration.ofSeconds(60), commandTimeout, true);
		this.factory = (driver == DriverUnderTest.JEDIS) ? TopologyDrivers.cluster(driver, cluster.nodes())
				: TopologyDrivers.plainLettuceCluster(cluster.nodes());
		this.registry = new DefaultLockRegistry(new RedisLockStore(this.factory, settings));
		await().until(() -> nodes(health()).size() == 3 && health().getStatus().equals(Status.UP));
	}

	private Health health() {
		return new LockHealthIndicator(
				List.of(new LockSource("registry", this.registry, this.registry.store(), this.registry.statistics())),
				Clock.systemUTC())
			.health();
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, Object>> nodes(Health health) {
		return (Map<String, Map<String, Object>>) health.getDetails().get("nodes");
	}

	private static String name(RedisServer node) {
		return node.host() + ":" + node.port();
	}

	private static List<String> primaries() {
		return cluster.masters().stream().map(LockHealthClusterIntegrationTests::name).toList();
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void clusterIsUpAndNamesItsPrimaries(DriverUnderTest driver) {
		start(driver, PATIENT);
		Health health = health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).doesNotContainKey("problems");
		assertThat(nodes(health)).containsOnlyKeys(primaries());
		assertThat(nodes(health).values()).allSatisfy(
				(node) -> assertThat(node).containsOnlyKeys("answeredInMillis", "evictionPolicy", "clockSkewMillis")
					.containsEntry("evictionPolicy", "unlimited"));
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void primaryThatMayDropLocksIsAWarningThatNamesIt(DriverUnderTest driver) {
		start(driver, PATIENT);
		RedisServer unsafe = cluster.masters().get(1);
		unsafe.ask("CONFIG", "SET", "maxmemory", "200mb");
		unsafe.ask("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
		try {
			Health health = health();
			assertThat(health.getStatus()).isEqualTo(LockHealthIndicator.WARNING);
			assertThat((Collection<?>) health.getDetails().get("problems")).singleElement()
				.asString()
				.startsWith(name(unsafe) + " may drop locks that are held")
				.contains("volatile-lru");
			assertThat(nodes(health)).allSatisfy((node, details) -> assertThat(details).containsEntry("evictionPolicy",
					node.equals(name(unsafe)) ? "volatile-lru" : "unlimited"));
		}
		finally {
			unsafe.ask("CONFIG", "SET", "maxmemory", "0");
			unsafe.ask("CONFIG", "SET", "maxmemory-policy", "noeviction");
		}
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void primaryThatDoesNotAnswerIsDownAndTheOthersAreNot(DriverUnderTest driver) {
		start(driver, IMPATIENT);
		RedisServer silent = cluster.masters().get(1);
		silent.pause();
		try {
			assertOnlyOneIsDown(silent);
		}
		finally {
			silent.resume();
		}
		await().until(() -> health().getStatus().equals(Status.UP));
	}

	/** The dead node was said to answer for up to half a minute. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void primaryThatIsKilledIsDownUntilItsReplicaIsNamedInItsPlace(DriverUnderTest driver) {
		start(driver, IMPATIENT);
		RedisServer killed = cluster.masters().get(1);
		RedisServer successor = cluster.replicasOf(killed).get(0);
		killed.kill();
		try {
			assertOnlyOneIsDown(killed);
			allowSilence(QUICK_FAIL_OVER);
			await().untilAsserted(() -> {
				Health health = health();
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(nodes(health)).hasSize(3).containsKey(name(successor)).doesNotContainKey(name(killed));
			});
		}
		finally {
			killed.start();
			cluster.awaitHealthy();
			allowSilence(NO_FAIL_OVER);
		}
	}

	/** It is down in each look, up to the first one in which the others answer. */
	private void assertOnlyOneIsDown(RedisServer down) {
		await().until(() -> {
			Health health = health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(nodes(health)).containsOnlyKeys(primaries());
			assertThat(nodes(health).get(name(down))).containsOnlyKeys("failure");
			return nodes(health).values().stream().filter((node) -> node.containsKey("answeredInMillis")).count() == 2;
		});
	}

}
