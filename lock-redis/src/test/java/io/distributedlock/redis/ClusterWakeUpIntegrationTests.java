package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How waiters are woken in a cluster, where each instance subscribes at any node.
 */
class ClusterWakeUpIntegrationTests {

	private static final Duration WAITING = Duration.ofSeconds(60);

	@Tag("newer-servers")
	@Test
	void instancesWithDifferentDriversWakeEachOther() throws InterruptedException {
		try (StoreUnderTest lettuce = shared(DriverUnderTest.LETTUCE);
				StoreUnderTest jedis = shared(DriverUnderTest.JEDIS)) {
			LockKey key = StoreUnderTest.newKey();
			RequestId first = take(lettuce, key);
			waitFor(jedis, key);
			lettuce.store.release(new ReleaseCommand(key, first)).join();
			assertThat(jedis.awaitWakeUp()).isEqualTo(key.encoded());
			RequestId second = take(jedis, key);
			waitFor(lettuce, key);
			jedis.store.release(new ReleaseCommand(key, second)).join();
			assertThat(lettuce.awaitWakeUp()).isEqualTo(key.encoded());
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void waiterWhoseNodeIsKilledIsToldToLookAndIsWokenAgain(DriverUnderTest driver) throws InterruptedException {
		try (RedisCluster cluster = RedisCluster.start(LeastPrivilege.clusterSettings());
				StoreUnderTest here = store(driver, cluster);
				StoreUnderTest there = store(DriverUnderTest.LETTUCE, cluster)) {
			LockKey busy = StoreUnderTest.newKey();
			take(there, busy);
			RequestId waiter = waitFor(here, busy);
			RedisServer node = cluster.nodes()
				.stream()
				.filter((each) -> listens(each, waiter))
				.findFirst()
				.orElseThrow();
			int before = here.wokenAll.get();
			node.kill();
			await().until(() -> here.wokenAll.get() > before);
			LockKey key = StoreUnderTest.newKey();
			RequestId owner = there.request();
			await().ignoreExceptions().until(() -> answer(there.acquire(key, owner)) instanceof Granted);
			RequestId again = here.request();
			await().ignoreExceptions().until(() -> answer(here.waitFor(key, again)) instanceof Busy);
			there.store.release(new ReleaseCommand(key, owner)).join();
			assertThat(here.awaitWakeUp()).isEqualTo(key.encoded());
		}
	}

	/** A command for a node that is away may wait for it, until it is cancelled. */
	private static AcquireOutcome answer(CompletableFuture<AcquireOutcome> command) throws Exception {
		try {
			return command.get(2, TimeUnit.SECONDS);
		}
		finally {
			command.cancel(true);
		}
	}

	private static boolean listens(RedisServer node, RequestId waiter) {
		return node.ask("PUBSUB", "CHANNELS", "lock:!wake:" + waiter.instance()).toString().contains("lock:");
	}

	private static StoreUnderTest shared(DriverUnderTest driver) {
		return new StoreUnderTest(
				TopologyDrivers.cluster(driver, SharedTopology.CLUSTER.nodes(), StoreUnderTest.PATIENCE),
				StoreUnderTest.PATIENT);
	}

	private static StoreUnderTest store(DriverUnderTest driver, RedisCluster cluster) {
		return new StoreUnderTest(TopologyDrivers.cluster(driver, cluster.nodes(), Duration.ofSeconds(4)),
				RedisStoreSettings.DEFAULTS);
	}

	private static RequestId take(StoreUnderTest store, LockKey key) {
		RequestId request = store.request();
		assertThat(store.acquire(key, request).join()).isInstanceOf(Granted.class);
		return request;
	}

	/** Leaves a waiter entry, and returns when the subscription is there. */
	private static RequestId waitFor(StoreUnderTest store, LockKey key) {
		RequestId request = store.request();
		assertThat(store.store.acquire(new AcquireCommand(key, request, StoreUnderTest.TTL, Duration.ZERO, WAITING))
			.join()).isInstanceOf(Busy.class);
		await().until(() -> store.wokenAll.get() > 0);
		return request;
	}

}
