package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when Sentinel replaces the master: row 14 of the table of
 * faults. Each fault meets both drivers at the same time.
 */
class SentinelFaultIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(24);

	private static RedisSentinels sentinels;

	private TopologyInstances instances;

	@BeforeAll
	static void startServers() {
		sentinels = RedisSentinels.start(1);
	}

	@AfterAll
	static void stopServers() {
		sentinels.close();
	}

	@BeforeEach
	void start() {
		sentinels.settle();
		this.instances = new TopologyInstances(Driver.sentinel(sentinels), Duration.ofSeconds(2));
	}

	@AfterEach
	void stop() throws Exception {
		this.instances.close();
	}

	/** Row 14: fail-over, with the replica up to date. */
	@Test
	void masterWhenKilledCostsOnlyLeasesShorterThanTheFailover() {
		List<HeldThroughFailover> held = hold("killed-");
		RedisServer old = sentinels.master();
		Replication.awaitCaughtUp(old, sentinels.replicas().get(0));
		old.kill();
		held.forEach(HeldThroughFailover::assertShortLeaseIsToldLostAndPassedOn);
		held.forEach(HeldThroughFailover::assertLongLeaseIsKept);
		sentinels.rejoin(old);
	}

	/** Row 14: fail-over from a master that is frozen, and comes back later. */
	@Test
	void masterWhenFrozenCostsOnlyLeasesShorterThanTheFailover() {
		List<HeldThroughFailover> held = hold("frozen-");
		RedisServer old = sentinels.master();
		Replication.awaitCaughtUp(old, sentinels.replicas().get(0));
		old.pause();
		try {
			sentinels.awaitMasterOtherThan(old);
			held.forEach(HeldThroughFailover::assertShortLeaseIsToldLostAndPassedOn);
			held.forEach(HeldThroughFailover::assertLongLeaseIsKept);
		}
		finally {
			old.resume();
		}
	}

	/** Row 14: fail-over, write lost. */
	@Test
	void failoverThatLosesTheLockIsToldToTheHolderAndTokensGrowOn() {
		LockRequest request = LockRequest.of("unreplicated").ttl(TTL).waitFor(Duration.ofSeconds(60));
		RedisServer old = sentinels.master();
		RedisServer replica = sentinels.replicas().get(0);
		DefaultLockRegistry here = this.instances.instance(Driver.LETTUCE);
		here.acquire(LockRequest.of("before")).close();
		Replication.awaitCaughtUp(old, replica);
		replica.pause();
		old.ask("CLIENT", "KILL", "TYPE", "replica");
		Lease lease = here.acquire(request);
		old.kill();
		replica.resume();
		Lease next = this.instances.instance(Driver.JEDIS).acquire(request);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		await().atMost(TTL.dividedBy(2)).until(() -> !lease.isHeld());
		await().untilAsserted(() -> assertThat(this.instances.of("unreplicated", LockEvent.Lost.class)).singleElement()
			.isInstanceOfSatisfying(LockEvent.Lost.class,
					(lost) -> assertThat(lost.reason()).isEqualTo(LossReason.NOT_OWNER)));
		sentinels.rejoin(old);
	}

	private List<HeldThroughFailover> hold(String prefix) {
		return Stream.of(Driver.values())
			.map((driver) -> new HeldThroughFailover(this.instances, driver, prefix))
			.toList();
	}

}
