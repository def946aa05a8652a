package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.LeastPrivilege;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.LockOnTheWire;
import io.distributedlock.store.LockKey;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks on five servers when some of the servers are killed, stopped or empty.
 */
class RedlockFaultIntegrationTests {

	/** Long enough for a machine that stands still between two renewals. */
	private static final Duration TTL = Duration.ofSeconds(6);

	/** Longer than the lease, and no more than a test can wait for. */
	private static final Duration RESTART_DELAY = Duration.ofSeconds(7);

	private static final Duration LONG = Duration.ofSeconds(30);

	/** Also for the first connections on a busy machine. */
	private static final RedisStoreSettings PATIENT = new RedisStoreSettings(RedisStoreSettings.DEFAULTS.keyPrefix(),
			RedisStoreSettings.DEFAULTS.tokenRetention(), Duration.ofSeconds(10), true);

	private static List<RedisServer> servers;

	private final List<DefaultLockRegistry> registries = new ArrayList<>();

	@BeforeAll
	static void startServers() {
		servers = IntStream.range(0, 5)
			.mapToObj((index) -> RedisServers.start(LeastPrivilege.quorumSettings()))
			.toList();
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(RedisServer::close);
	}

	@AfterEach
	void repair() {
		this.registries.forEach(DefaultLockRegistry::close);
		for (RedisServer server : servers) {
			if (server.isRunning()) {
				server.resume();
			}
			server.start();
		}
	}

	@Test
	void lockWhenTwoOfFiveNodesAreDownIsTakenRenewedAndReleased() {
		DefaultLockRegistry registry = registry(servers, Duration.ZERO);
		registry.acquire(request("before")).close();
		servers.get(0).kill();
		servers.get(3).kill();
		long token;
		try (Lease lease = registry.acquire(request("two-down"))) {
			token = lease.fencingToken();
			Duration[] last = { lease.remaining() };
			await().until(() -> {
				Duration before = last[0];
				last[0] = lease.remaining();
				return last[0].compareTo(before) > 0;
			});
			lease.checkHeld();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> registry(servers, Duration.ZERO).acquire(request("two-down").waitFor(Duration.ZERO)));
		}
		assertThat(registry(servers, Duration.ZERO).acquire(request("two-down")).fencingToken()).isGreaterThan(token);
	}

	/** Each acquisition would take the node time-out, or the one of commands. */
	@Test
	void lockWhenTwoOfFiveNodesAreFrozenIsAsQuickAsTheOthers() {
		Duration nodeTimeout = Duration.ofMillis(500);
		List<RedisNodeAddress> addresses = servers.stream().map(SharedNodes::address).toList();
		DefaultLockRegistry registry = register(new RedlockLockStore(
				RedisQuorumNode.connect(addresses, PATIENT, Duration.ZERO), new RedlockSettings(nodeTimeout)));
		registry.acquire(request("warm")).close();
		servers.get(1).pause();
		servers.get(2).pause();
		long start = System.nanoTime();
		for (int i = 0; i < 100; i++) {
			registry.acquire(request("frozen")).close();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(nodeTimeout.multipliedBy(80));
	}

	@Test
	void lockWhenAMajorityIsDownIsUnavailableUntilOneIsBack() {
		DefaultLockRegistry registry = registry(servers, Duration.ZERO);
		registry.acquire(request("before")).close();
		List.of(0, 1, 2).forEach((index) -> servers.get(index).kill());
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> registry.acquire(request("outage").waitFor(Duration.ZERO)))
			.withMessageContaining("it takes 3 of 5 nodes, and 3 failed: ")
			.withMessageContaining(SharedNodes.address(servers.get(0)).toString());
		servers.get(1).start();
		try (Lease lease = registry.acquire(request("outage").waitFor(Duration.ofSeconds(20)))) {
			lease.checkHeld();
		}
	}

	@Test
	void lockWhenANodeComesBackEmptyIsTakenAgainThere() {
		DefaultLockRegistry registry = registry(servers.subList(0, 3), Duration.ZERO);
		try (Lease lease = registry.acquire(request("again"))) {
			restartEmpty(servers.get(1));
			await().until(() -> owner(servers.get(1), "again") != null);
			assertThat(owner(servers.get(1), "again")).isEqualTo(owner(servers.get(0), "again"));
			lease.checkHeld();
		}
	}

	private static String owner(RedisServer server, String key) {
		RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			return new LockOnTheWire(connection.sync()).owner("lock:" + new LockKey("", key).encoded());
		}
		finally {
			client.shutdown();
		}
	}

	/** The control: the failure that the quarantine prevents. */
	@Test
	void lockWhenANodeForgetsAndCountsAtOnceHasTwoHolders() {
		// The node must not be taken again by a renewal before the other one has it.
		Lease first = registryThatSeesTwo(Duration.ZERO).acquire(request("two-holders").ttl(LONG.multipliedBy(3)));
		restartEmpty(servers.get(1));
		Lease second = registry(servers.subList(0, 3), Duration.ZERO)
			.acquire(request("two-holders").waitFor(Duration.ofSeconds(20)));
		assertThat(first.isHeld()).isTrue();
		assertThat(second.isHeld()).isTrue();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
	}

	@Test
	void lockWhenANodeForgetsStaysWithItsHolder() {
		DefaultLockRegistry registry = registry(servers.subList(0, 3), RESTART_DELAY);
		await().atMost(LONG).ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> {
			registry.acquire(request("warm").waitFor(Duration.ZERO)).close();
			return true;
		});
		try (Lease first = registryThatSeesTwo(RESTART_DELAY).acquire(request("one-holder").waitFor(LONG))) {
			restartEmpty(servers.get(1));
			// An outage passes, where the machine takes long; the lock is never had.
			await().ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> {
				assertThat(registry.tryAcquire(request("one-holder").waitFor(Duration.ofMillis(1500)))).isEmpty();
				return true;
			});
			assertThat(first.isHeld()).isTrue();
		}
		servers.get(0).kill();
		try (Lease second = registry.acquire(request("one-holder").waitFor(LONG))) {
			second.checkHeld();
		}
	}

	@Test
	void lockWhenAllNodesAreNewIsUnavailableAndSaysForHowLong() {
		DefaultLockRegistry registry = registry(servers, Duration.ofHours(1));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> registry.acquire(request("new").waitFor(Duration.ZERO)))
			.withMessageMatching("(?s).*restarted \\d+ s ago and does not count for another 3\\d\\d\\d s.*"
					+ "distributed-lock.redlock.restart-delay.*");
	}

	private static LockRequest request(String key) {
		return LockRequest.of(key).ttl(TTL);
	}

	private static void restartEmpty(RedisServer server) {
		server.kill();
		server.deleteData();
		server.start();
	}

	private DefaultLockRegistry registry(List<RedisServer> nodes, Duration restartDelay) {
		return register(SharedNodes.store(nodes, PATIENT, restartDelay));
	}

	/** Has never reached the third node. */
	private DefaultLockRegistry registryThatSeesTwo(Duration restartDelay) {
		List<RedisNodeAddress> addresses = List.of(SharedNodes.address(servers.get(0)),
				SharedNodes.address(servers.get(1)), new RedisNodeAddress("127.0.0.1", 1, 0, null, null, null));
		return register(new RedlockLockStore(RedisQuorumNode.connect(addresses, PATIENT, restartDelay),
				RedlockSettings.DEFAULTS));
	}

	private DefaultLockRegistry register(RedlockLockStore store) {
		DefaultLockRegistry registry = new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), (event) -> {
				});
		this.registries.add(registry);
		return registry;
	}

}
