package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The guarantees of the locks when slots of a cluster move, and when a master fails: rows
 * 14 to 16 of the table of faults.
 */
class ClusterFaultIntegrationTests {

	private static final Duration TTL = Duration.ofMillis(4500);

	private static RedisCluster cluster;

	private TopologyInstances instances;

	@BeforeAll
	static void startServers() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stopServers() {
		cluster.close();
	}

	@BeforeEach
	void start() {
		cluster.awaitHealthy();
		this.instances = new TopologyInstances(Driver.cluster(cluster.nodes()), Duration.ofSeconds(2));
	}

	@AfterEach
	void stop() throws Exception {
		this.instances.close();
	}

	/** Row 15: resharding while held. */
	@ParameterizedTest
	@EnumSource
	void lockWhenItsSlotMovesIsRenewedReleasedAndTakenAtEveryStep(Driver driver) {
		String key = "{move-" + driver + "}";
		int slot = cluster.slotOf(key);
		RedisServer target = otherMaster(slot);
		DefaultLockRegistry here = this.instances.instance(driver);
		DefaultLockRegistry there = this.instances.instance(driver);
		LockRequest request = LockRequest.of(key).ttl(TTL).waitFor(Duration.ofSeconds(20));
		Lease lease = here.acquire(request);
		cluster.beginMove(slot, target);
		Renewal.awaitNext(lease);
		Lease neverSeen = here.acquire(LockRequest.of(key + "new").ttl(TTL));
		cluster.moveKeys(slot, target, List.of("lock::" + key));
		Renewal.awaitNext(lease);
		Renewal.awaitNext(neverSeen);
		CompletableFuture<Lease> waiting = there.acquireAsync(request).toCompletableFuture();
		lease.close();
		Lease next = waiting.join();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		cluster.endMove(slot, target);
		Renewal.awaitNext(next);
		next.close();
		neverSeen.close();
		assertNothingWentWrong(key, key + "new");
	}

	/**
	 * Row 15: a lock that others have shared before. It was asked for with the sorted
	 * sets that it had then, and refused until the move was over.
	 */
	@ParameterizedTest
	@EnumSource
	void lockThatWasSharedBeforeWhenItsSlotMovesIsReleasedAndTaken(Driver driver) {
		String key = "{shared-" + driver + "}";
		int slot = cluster.slotOf(key);
		RedisServer target = otherMaster(slot);
		DefaultLockRegistry here = this.instances.instance(driver);
		LockRequest request = LockRequest.of(key).ttl(TTL).waitFor(Duration.ZERO);
		here.acquire(request.mode(LockMode.READ)).close();
		Lease lease = here.acquire(request);
		cluster.beginMove(slot, target);
		cluster.moveKeys(slot, target, List.of("lock::" + key));
		lease.close();
		here.acquire(request).close();
		cluster.endMove(slot, target);
		assertNothingWentWrong(key);
	}

	/** Row 15: resharding while held, of several keys that one command names. */
	@ParameterizedTest
	@EnumSource
	void setOfLocksWhenItsSlotMovesIsTakenAgainAfterTheMove(Driver driver) {
		String key = "{set-" + driver + "}";
		int slot = cluster.slotOf(key);
		RedisServer target = otherMaster(slot);
		DefaultLockRegistry here = this.instances.instance(driver);
		DefaultLockRegistry there = this.instances.instance(driver);
		LockRequest both = LockRequest.ofAll(key + "a", key + "b").ttl(TTL);
		Lease lease = here.acquire(both);
		cluster.beginMove(slot, target);
		cluster.moveKeys(slot, target, List.of("lock::" + key + "a"));
		Renewal.awaitNext(lease);
		lease.close();
		assertNothingWentWrong(key + "a", key + "b");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> there.acquire(both.waitFor(Duration.ZERO)))
			.withMessageContaining("TRYAGAIN")
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
		CompletableFuture<Lease> waiting = there.acquireAsync(both.waitFor(Duration.ofSeconds(20)))
			.toCompletableFuture();
		there.acquire(LockRequest.of(key + "b").ttl(TTL)).close();
		assertThat(waiting).isNotDone();
		cluster.endMove(slot, target);
		Lease next = waiting.join();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		next.close();
	}

	/** Row 15: scripts were refused for sorted sets that were not there. */
	@ParameterizedTest
	@EnumSource
	void fairLockAndReaderWhenTheirSlotMovesAreRenewed(Driver driver) {
		String key = "{modes-" + driver + "}";
		int slot = cluster.slotOf(key);
		RedisServer target = otherMaster(slot);
		DefaultLockRegistry here = this.instances.instance(driver);
		Lease fair = here.acquire(LockRequest.of(key + "fair").mode(LockMode.FAIR).ttl(TTL));
		Lease reader = here.acquire(LockRequest.of(key + "read").mode(LockMode.READ).ttl(TTL));
		cluster.beginMove(slot, target);
		Renewal.awaitNext(fair);
		Renewal.awaitNext(reader);
		fair.close();
		assertNothingWentWrong(key + "fair", key + "read");
		cluster.endMove(slot, target);
		reader.close();
	}

	/** Row 14 in a cluster: both drivers meet the same fault. */
	@Test
	void masterWhenKilledCostsOnlyLeasesShorterThanTheFailover() {
		List<HeldThroughFailover> held = hold("{killed}");
		RedisServer old = cluster.masterOf(cluster.slotOf("{killed}"));
		Replication.awaitCaughtUp(old, cluster.replicasOf(old).get(0));
		old.kill();
		held.forEach(HeldThroughFailover::assertShortLeaseIsToldLostAndPassedOn);
		held.forEach(HeldThroughFailover::assertLongLeaseIsKept);
		old.start();
	}

	/** Row 14 in a cluster, from a master that is frozen. */
	@Test
	void masterWhenFrozenCostsOnlyLeasesShorterThanTheFailover() {
		List<HeldThroughFailover> held = hold("{frozen}");
		RedisServer old = cluster.masterOf(cluster.slotOf("{frozen}"));
		Replication.awaitCaughtUp(old, cluster.replicasOf(old).get(0));
		old.pause();
		try {
			held.forEach(HeldThroughFailover::assertShortLeaseIsToldLostAndPassedOn);
			held.forEach(HeldThroughFailover::assertLongLeaseIsKept);
		}
		finally {
			old.resume();
		}
	}

	private List<HeldThroughFailover> hold(String prefix) {
		return Stream.of(Driver.values())
			.map((driver) -> new HeldThroughFailover(this.instances, driver, prefix))
			.toList();
	}

	/** Row 16: one cluster master frozen, and not replaced. Drivers wait a minute. */
	@Test
	void masterWhenFrozenDelaysOnlyItsOwnLocks() throws Exception {
		setNodeTimeout("60000");
		RedisServer frozen = cluster.masters().get(0);
		try (TopologyInstances patient = new TopologyInstances(Driver.cluster(cluster.nodes()),
				Duration.ofSeconds(60))) {
			List<SpreadLocks> all = Stream.of(Driver.values())
				.map((driver) -> new SpreadLocks(patient.instance(driver), driver, frozen))
				.toList();
			frozen.pause();
			try {
				all.forEach(SpreadLocks::assertOthersAreRenewedAndTakenInTime);
			}
			finally {
				frozen.resume();
			}
			all.forEach(SpreadLocks::assertFrozenOnesWereToldLost);
		}
		finally {
			setNodeTimeout("1500");
		}
	}

	/**
	 * A connection to one node that the network had forgotten was never replaced. The
	 * application has configured nothing, as Spring Boot has it by default.
	 */
	@Test
	void connectionToAMasterWhenSilentlyDeadIsReplaced() throws Exception {
		RedisServer master = cluster.masters().get(0);
		try (FaultProxy proxy = new FaultProxy(master.host(), master.port());
				ResourcesThrough resources = new ResourcesThrough(proxy, master)) {
			DefaultLockRegistry here = this.instances.instance(resources.factory());
			String key = keyOn(master, "dead");
			Lease lease = here.acquire(LockRequest.of(key).ttl(Duration.ofSeconds(15)));
			proxy.silence();
			assertThat(here.acquire(LockRequest.of(keyOn(master, "other")).waitFor(Duration.ofSeconds(20))).isHeld())
				.isTrue();
			Renewal.awaitNext(lease);
			assertNothingWentWrong(key);
			this.instances.close();
		}
	}

	/**
	 * Row 14: Lettuce has asked the master for its view of the cluster at that moment,
	 * and looked at the cluster a minute later again.
	 */
	@Test
	void masterWhenFrozenWhileItIsAskedForTheTopologyCostsNoLongLease() throws Exception {
		RedisServer master = cluster.masters().get(0);
		try (FaultProxy proxy = new FaultProxy(master.host(), master.port());
				ResourcesThrough resources = new ResourcesThrough(proxy, master)) {
			String key = keyOn(master, "asked");
			Lease lease = this.instances.instance(resources.factory())
				.acquire(LockRequest.of(key).ttl(Duration.ofSeconds(24)));
			Replication.awaitCaughtUp(master, cluster.replicasOf(master).get(0));
			proxy.dropNextReply(Exchange.commandHas("NODES")).await(Duration.ofSeconds(20));
			master.pause();
			try {
				Renewal.awaitNext(lease);
				assertNothingWentWrong(key);
			}
			finally {
				master.resume();
			}
			this.instances.close();
		}
	}

	private static String keyOn(RedisServer node, String prefix) {
		return Stream.iterate(0, (i) -> i + 1)
			.map((i) -> prefix + i)
			.filter((key) -> cluster.masterOf(cluster.slotOf("lock::" + key)) == node)
			.findFirst()
			.orElseThrow();
	}

	private static void setNodeTimeout(String millis) {
		cluster.nodes().forEach((node) -> node.ask("CONFIG", "SET", "cluster-node-timeout", millis));
	}

	private static RedisServer otherMaster(int slot) {
		RedisServer source = cluster.masterOf(slot);
		return cluster.masters().stream().filter((node) -> node != source).findFirst().orElseThrow();
	}

	private void assertNothingWentWrong(String... keys) {
		for (String key : keys) {
			assertThat(this.instances.of(key, LockEvent.Lost.class)).isEmpty();
			assertThat(this.instances.of(key, LockEvent.RenewalFailed.class))
				.noneMatch((event) -> isRefusal(((LockEvent.RenewalFailed) event).cause()));
			assertThat(this.instances.of(key, LockEvent.ReleaseFailed.class)).isEmpty();
		}
	}

	/** An answer that comes late is asked for again, and nothing has gone wrong. */
	private static boolean isRefusal(Throwable failure) {
		Throwable cause = failure.getCause();
		boolean late = cause == null && failure.getMessage().contains("no answer in time");
		return !late && !(cause instanceof CancellationException);
	}

	/** The resources of an application that reaches one node through a proxy. */
	private record ResourcesThrough(ClientResources resources) implements AutoCloseable {

		ResourcesThrough(FaultProxy proxy, RedisServer master) {
			this(ClientResources.builder()
				.socketAddressResolver(
						MappingSocketAddressResolver.create((HostAndPort node) -> (node.getPort() == master.port())
								? HostAndPort.of(proxy.host(), proxy.port()) : node))
				.build());
		}

		LettuceConnectionFactory factory() {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					(RedisClusterConfiguration) Driver.cluster(cluster.nodes()),
					LettuceClientConfiguration.builder().clientResources(this.resources).build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

		@Override
		public void close() throws InterruptedException {
			this.resources.shutdown(0, 1, TimeUnit.SECONDS).await();
		}

	}

	/** Locks of one instance on all masters, one of which is going to be frozen. */
	private static final class SpreadLocks {

		private static final int LOCKS = 300;

		private final DefaultLockRegistry registry;

		private final Driver driver;

		private final List<Lease> frozen = new ArrayList<>();

		private final List<Lease> others = new ArrayList<>();

		SpreadLocks(DefaultLockRegistry registry, Driver driver, RedisServer toFreeze) {
			this.registry = registry;
			this.driver = driver;
			for (int i = 0; i < LOCKS; i++) {
				String key = driver + "-spread-" + i;
				Lease lease = registry.acquire(LockRequest.of(key).ttl(TTL));
				(isOn(key, toFreeze) ? this.frozen : this.others).add(lease);
			}
		}

		private static boolean isOn(String key, RedisServer node) {
			return cluster.masterOf(cluster.slotOf("lock::" + key)) == node;
		}

		void assertOthersAreRenewedAndTakenInTime() {
			await().atMost(TTL.multipliedBy(2)).until(() -> this.frozen.stream().noneMatch(Lease::isHeld));
			for (Lease lease : this.others) {
				assertThat(lease.isHeld()).as("%s of %s", lease, this.driver).isTrue();
				lease.close();
				this.registry.acquire(LockRequest.of(lease.keys().get(0)).ttl(TTL).waitFor(Duration.ofSeconds(10)));
			}
		}

		void assertFrozenOnesWereToldLost() {
			assertThat(this.frozen).isNotEmpty().noneMatch(Lease::isHeld);
		}

	}

}
