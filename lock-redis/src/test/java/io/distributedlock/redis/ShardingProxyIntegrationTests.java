package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * {@link RedisLockStore} behind an address that looks like one server and has many slots:
 * a node that has all of them, and a client that does not know that this is a cluster.
 */
class ShardingProxyIntegrationTests {

	private static final RedisCluster CLUSTER = RedisCluster.startOneNode(LeastPrivilege.clusterSettings());

	private static final RedisServer NODE = CLUSTER.nodes().get(0);

	private static final Map<DriverUnderTest, RedisConnectionFactory> FACTORIES = new ConcurrentHashMap<>();

	/** Long enough for a machine that stands still between two renewals. */
	private static final Duration TTL = Duration.ofSeconds(6);

	private static final LockKey ONE = new LockKey("", "one");

	private static final LockKey OTHER = new LockKey("", "other");

	@AfterAll
	static void stop() {
		FACTORIES.values().forEach(DriverUnderTest::close);
		CLUSTER.close();
	}

	private static RedisLockStore store(DriverUnderTest driver, boolean checked) {
		RedisConnectionFactory factory = FACTORIES.computeIfAbsent(driver,
				(missing) -> missing.connect(LeastPrivilege.at(NODE)));
		RedisLockStore store = new RedisLockStore(factory, StoreUnderTest.PATIENT);
		if (checked) {
			assertThat(store.checkPermissions()).succeedsWithin(Patience.CEILING);
		}
		return store;
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void capabilitiesAreThoseOfOneServer(DriverUnderTest driver) {
		try (RedisLockStore store = store(driver, false)) {
			assertThat(store.capabilities()).isEqualTo(driver.capabilities());
		}
	}

	/** Renewals of several keys went in one script, which was refused with CROSSSLOT. */
	@ParameterizedTest
	@CsvSource({ "LETTUCE, true", "LETTUCE, false", "JEDIS, false" })
	void severalHeldLocksAreRenewed(DriverUnderTest driver, boolean checked) {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store(driver, checked))) {
			hold(registry, 5).forEach(Lease::close);
		}
	}

	/** Until each of them lasts longer than without a renewal. */
	private static List<Lease> hold(DefaultLockRegistry registry, int count) {
		List<Lease> held = IntStream.range(0, count)
			.mapToObj((i) -> registry.acquire(LockRequest.of("held-" + i).ttl(TTL)))
			.toList();
		long acquired = System.nanoTime();
		await().until(() -> {
			long since = System.nanoTime() - acquired;
			assertThat(held).allMatch(Lease::isHeld);
			return held.stream().allMatch((lease) -> lease.remaining().plusNanos(since).compareTo(TTL) > 0);
		});
		return held;
	}

	@ParameterizedTest
	@CsvSource({ "LETTUCE, true", "LETTUCE, false", "JEDIS, true", "JEDIS, false" })
	void severalKeysOfDifferentSlotsAreTakenOneAfterTheOtherAllOrNone(DriverUnderTest driver, boolean checked) {
		LockRequest both = LockRequest.ofAll("a", "b").waitFor(Duration.ZERO);
		try (DefaultLockRegistry here = new DefaultLockRegistry(store(driver, checked));
				DefaultLockRegistry there = new DefaultLockRegistry(store(driver, true))) {
			Lease last = there.acquire(LockRequest.of("b"));
			assertThat(here.tryAcquire(both)).isEmpty();
			there.acquire(LockRequest.of("a").waitFor(StoreUnderTest.PATIENCE)).close();
			last.close();
			try (Lease lease = here.acquire(both.waitFor(StoreUnderTest.PATIENCE))) {
				assertThat(lease.fencingToken("b")).isGreaterThan(last.fencingToken());
				assertThat(there.tryAcquire(LockRequest.of("a").waitFor(Duration.ZERO))).isEmpty();
			}
		}
	}

	/**
	 * A caller that does not block gets them, too, where the first attempt is refused.
	 */
	@Test
	void severalKeysWhenAskedForWithoutBlockingAreTaken() {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store(DriverUnderTest.LETTUCE, false))) {
			CompletableFuture<Lease> asked = registry.acquireAsync(LockRequest.ofAll("c", "d")).toCompletableFuture();
			asked.orTimeout(20, TimeUnit.SECONDS).join().close();
		}
	}

	@Test
	void keysOfOneSlotAreTakenTogether() {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store(DriverUnderTest.LETTUCE, true));
				Lease lease = registry.acquire(LockRequest.ofAll("{x}a", "{x}b"))) {
			assertThat(lease.fencingToken("{x}a")).isEqualTo(lease.fencingToken("{x}b"));
		}
		assertThatIllegalStateException().isThrownBy(() -> NODE.ask("MGET", "one", "other"))
			.withMessageStartingWith("CROSSSLOT");
	}

	/** Ends a request for each key, although nothing was known when it was sent. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void requestForSeveralKeysWhenRefusedIsEndedKeyByKey(DriverUnderTest driver) {
		List<LockKey> keys = List.of(ONE, OTHER);
		try (StoreUnderTest under = new StoreUnderTest(driver, NODE)) {
			RequestId request = under.request();
			assertThat(under.store.takesTogether(keys)).isTrue();
			keys.forEach((key) -> assertThat(under.acquire(key, request)).succeedsWithin(Patience.CEILING)
				.isInstanceOf(AcquireOutcome.Granted.class));
			assertThat(under.store.release(new ReleaseCommand(keys, request, RenewalMarks.NONE)))
				.succeedsWithin(Patience.CEILING)
				.isEqualTo(Ownership.HELD);
			assertThat(under.store.takesTogether(keys)).isFalse();
			assertThat(under.store.abandon(new AbandonCommand(keys, request))).succeedsWithin(Patience.CEILING);
			assertThat(under.store
				.renew(List.of(new RenewCommand(ONE, request, TTL), new RenewCommand(OTHER, request, TTL))))
				.allSatisfy((answer) -> assertThat(answer).succeedsWithin(Patience.CEILING).isEqualTo(Ownership.LOST));
		}
	}

	/** Nothing is refused there, and renewals of several keys found only some of them. */
	@Test
	void serversThatDoNotKnowOfEachOtherAreRefused() {
		try (RedisServer server = RedisServers.start(); RedisServer other = RedisServers.start()) {
			RedisConnectionFactory one = DriverUnderTest.LETTUCE.connect(server);
			RedisConnectionFactory two = DriverUnderTest.LETTUCE.connect(other);
			RedisLockStore store = new RedisLockStore(ScatteringProxy.of(one, two), StoreUnderTest.PATIENT);
			try (DefaultLockRegistry registry = new DefaultLockRegistry(store)) {
				assertThat(RedisLockStoreIntegrationTests.failure(store.checkPermissions(),
						LockStoreException.Kind.MISCONFIGURED))
					.contains("is a proxy that spreads keys over servers", "without the proxy");
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> registry.acquire(LockRequest.of("a")))
					.withMessageContaining("is a proxy that spreads keys over servers")
					.returns(LockStoreException.Kind.MISCONFIGURED, LockStoreException::getKind);
			}
			DriverUnderTest.close(one);
			DriverUnderTest.close(two);
		}
	}

	@Test
	void nodeOfAQuorumFindsOut() {
		RedisNodeAddress address = RedisNodeAddress.parse("redis://" + NODE.host() + ':' + NODE.port());
		try (RedisQuorumNode node = RedisQuorumNode
			.connect(List.of(address), RedisStoreSettings.DEFAULTS, Duration.ZERO)
			.get(0)) {
			assertThat(node.checkPermissions()).succeedsWithin(Patience.CEILING);
			assertThat(node.takesTogether(List.of(ONE, OTHER))).isFalse();
		}
	}

}
