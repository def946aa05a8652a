package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@link RedisLockStore} where locks are on several nodes.
 */
class ClusterIntegrationTests {

	private static final WakeUpListener IGNORING = new WakeUpListener() {
		@Override
		public void wakeUp(String encodedKey) { // No request waits.
		}

		@Override
		public void wakeUpAll() { // No request waits.
		}
	};

	@Tag("newer-servers")
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void locksAreSpreadOverAllNodesAndTheStoreKnowsWhich(DriverUnderTest driver) {
		try (RedisLockStore store = store(SharedTopology.CLUSTER.factory(driver))) {
			store.start("0000000000000001", IGNORING);
			List<LockKey> keys = IntStream.range(0, 100).mapToObj((i) -> new LockKey("spread", "k" + i)).toList();
			await().untilAsserted(() -> assertThat(nodes(store, keys)).hasSize(3).doesNotContain(""));
			assertThat(SharedTopology.CLUSTER.masters())
				.allMatch((master) -> nodes(store, keys).contains(master.host() + ':' + master.port()));
		}
	}

	private static Set<String> nodes(RedisLockStore store, List<LockKey> keys) {
		return keys.stream().map(store::nodeOf).collect(Collectors.toSet());
	}

	@Tag("newer-servers")
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void severalKeysInDifferentSlotsAreTakenAllOrNone(DriverUnderTest driver) {
		String prefix = "apart-" + driver + "-";
		List<LockKey> keys = List.of(new LockKey("", prefix + "a"), new LockKey("", prefix + "b"));
		try (DefaultLockRegistry here = new DefaultLockRegistry(store(SharedTopology.CLUSTER.factory(driver)));
				DefaultLockRegistry there = new DefaultLockRegistry(store(SharedTopology.CLUSTER.factory(driver)));
				RedisLockStore asked = store(SharedTopology.CLUSTER.factory(driver))) {
			assertThat(asked.takesTogether(keys)).isFalse();
			assertThat(here.takesTogether("")).isFalse();
			assertThat(here.takesTogether("{stock}")).isTrue();
			LockRequest both = LockRequest.ofAll(prefix + "a", prefix + "b").waitFor(Duration.ZERO);
			Lease last = there.acquire(LockRequest.of(prefix + "b"));
			assertThat(here.tryAcquire(both)).isEmpty();
			there.acquire(LockRequest.of(prefix + "a").waitFor(Duration.ofSeconds(30))).close();
			last.close();
			try (Lease lease = here.acquire(both.waitFor(Duration.ofSeconds(30)))) {
				assertThat(lease.fencingToken(prefix + "b")).isGreaterThan(last.fencingToken());
				assertThat(there.tryAcquire(both)).isEmpty();
			}
		}
	}

	/** The address of this machine, as IPv6 has it: the host of the node has colons. */
	@Test
	void connectionToASilentNodeIsReplacedWhereItsAddressHasColons() {
		try (RedisCluster one = RedisCluster.startOneNode("--cluster-announce-ip", "::ffff:127.0.0.1")) {
			RedisServer node = one.nodes().get(0);
			try (StoreUnderTest store = new StoreUnderTest(TopologyDrivers.plainLettuceCluster(one.nodes()),
					StoreUnderTest.PATIENT)) {
				LockKey key = StoreUnderTest.newKey();
				await().until(() -> store.store.nodeOf(key).startsWith("[::ffff:127.0.0.1]:"));
				assertThat(store.acquire(key, store.request())).succeedsWithin(Patience.CEILING);
				List<String> before = runners(node);
				assertThat(before).hasSize(1);
				node.pause();
				try {
					await().during(Duration.ofMillis(2_500))
						.pollInterval(Duration.ofMillis(500))
						.until(() -> store.renew(key, store.request()).cancel(true));
				}
				finally {
					node.resume();
				}
				await().untilAsserted(() -> assertThat(runners(node)).doesNotContainAnyElementsOf(before));
			}
		}
	}

	/** The connections whose last command was a script. */
	private static List<String> runners(RedisServer node) {
		return node.ask("CLIENT", "LIST")
			.toString()
			.lines()
			.filter((line) -> line.contains(" cmd=eval"))
			.map((line) -> line.substring(0, line.indexOf(' ')))
			.toList();
	}

	private static RedisLockStore store(RedisConnectionFactory factory) {
		return new RedisLockStore(factory, StoreUnderTest.PATIENT);
	}

}
