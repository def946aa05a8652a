package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Replicas that have to confirm an acquisition, where the primary is not always the same.
 */
class ReplicaAcksTopologyIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(10), true)
		.withReplicaAcks(new ReplicaAcks(1, Duration.ofSeconds(3)));

	@Nested
	class Sentinel {

		/** Turn the old primary into a replica, as Sentinels do after ten seconds. */
		private static void turn(RedisServer old, RedisServer primary) {
			old.ask("REPLICAOF", primary.host(), Integer.toString(primary.port()));
			old.ask("CLIENT", "KILL", "TYPE", "normal");
		}

		@Test
		void acquireAfterFailOverIsConfirmedByTheReplicasOfTheNewPrimary() {
			try (RedisSentinels sentinels = RedisSentinels.start(1, LeastPrivilege.serverSettings())) {
				RedisConnectionFactory factory = TopologyDrivers.sentinel(DriverUnderTest.LETTUCE, sentinels);
				LockRequest request = LockRequest.of("order").ttl(Duration.ofSeconds(60)).waitFor(PATIENCE);
				try (DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, SETTINGS))) {
					registry.acquire(request).close();
					turn(sentinels.master(), sentinels.failOver());
					registry.acquire(request).close();
				}
				DriverUnderTest.close(factory);
			}
		}

	}

	@Nested
	class Cluster {

		private static RedisCluster cluster;

		@BeforeAll
		static void startCluster() {
			cluster = RedisCluster.start(LeastPrivilege.clusterSettings());
			cluster.allowSilence(PATIENCE);
		}

		@AfterAll
		static void stopCluster() {
			cluster.close();
		}

		@Test
		void acquireWhenReplicaOfOnePrimaryIsStoppedFailsThereOnly() {
			try (StoreUnderTest one = store()) {
				LockKey key = StoreUnderTest.newKey();
				granted(one, key);
				RedisServer primary = cluster.masterOf(slot(key));
				LockKey there = key((other) -> cluster.masterOf(slot(other)) == primary);
				LockKey elsewhere = key((other) -> cluster.masterOf(slot(other)) != primary);
				RedisServer replica = cluster.replicasOf(primary).get(0);
				replica.pause();
				try {
					CompletableFuture<AcquireOutcome> unconfirmed = one.acquire(there, one.request());
					granted(one, elsewhere);
					assertThat(RedisLockStoreIntegrationTests.failure(unconfirmed, Kind.UNAVAILABLE))
						.contains("0 of 1 replicas");
				}
				finally {
					replica.resume();
				}
			}
		}

		@Test
		void renewalIsAnsweredBeforeAcquisitionsThatWaitForAReplica() {
			try (StoreUnderTest one = store()) {
				LockKey key = StoreUnderTest.newKey();
				RequestId holder = one.request();
				assertThat(one.acquire(key, holder)).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class);
				RedisServer primary = cluster.masterOf(slot(key));
				RedisServer replica = cluster.replicasOf(primary).get(0);
				List<LockKey> others = Stream.generate(StoreUnderTest::newKey)
					.filter((other) -> cluster.masterOf(slot(other)) == primary)
					.limit(40)
					.toList();
				replica.pause();
				try {
					List<CompletableFuture<AcquireOutcome>> waiting = others.stream()
						.map((other) -> one.acquire(other, one.request()))
						.toList();
					await().until(() -> blocked(primary) >= 1);
					CompletableFuture<Ownership> renewed = one.renew(key, holder);
					CompletableFuture.anyOf(renewed, CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)))
						.exceptionally((failure) -> failure)
						.join();
					assertThat(renewed).isCompletedWithValue(Ownership.HELD);
				}
				finally {
					replica.resume();
				}
			}
		}

		private static int blocked(RedisServer server) {
			return server.ask("INFO", "clients")
				.toString()
				.lines()
				.filter((line) -> line.startsWith("blocked_clients:"))
				.mapToInt((line) -> Integer.parseInt(line.substring(line.indexOf(':') + 1)))
				.sum();
		}

		@Test
		void acquireWhileAndAfterTheSlotMovesIsGranted() {
			try (StoreUnderTest one = store()) {
				String tag = StoreUnderTest.newKey().key();
				int slot = slot(new LockKey("store", "{" + tag + "}"));
				RedisServer target = cluster.masters()
					.stream()
					.filter((master) -> master != cluster.masterOf(slot))
					.findFirst()
					.orElseThrow();
				granted(one, new LockKey("store", "{" + tag + "}1"));
				cluster.beginMove(slot, target);
				granted(one, new LockKey("store", "{" + tag + "}2"));
				cluster.moveKeys(slot, target, cluster.keysOf(slot));
				cluster.endMove(slot, target);
				granted(one, new LockKey("store", "{" + tag + "}3"));
			}
		}

		private static LockKey key(Predicate<LockKey> wanted) {
			return Stream.generate(StoreUnderTest::newKey).limit(1_000).filter(wanted).findFirst().orElseThrow();
		}

		private static int slot(LockKey key) {
			return cluster.slotOf("lock:" + key.encoded());
		}

		private static void granted(StoreUnderTest one, LockKey key) {
			assertThat(one.acquire(key, one.request())).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class);
		}

		private static StoreUnderTest store() {
			return new StoreUnderTest(
					TopologyDrivers.cluster(DriverUnderTest.LETTUCE, cluster.nodes(), SETTINGS.commandTimeout()),
					SETTINGS);
		}

	}

}
