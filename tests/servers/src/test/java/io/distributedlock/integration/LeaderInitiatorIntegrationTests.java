package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockOptions;
import io.distributedlock.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leader election by Spring Integration's {@code LockRegistryLeaderInitiator}, among two
 * instances. It renews by {@code tryLock} and an {@code unlock}, and never unlocks a
 * lease that it has lost.
 */
class LeaderInitiatorIntegrationTests {

	private static final AtomicInteger SEQUENCE = new AtomicInteger();

	private static final int SHORT_PAUSE = 50;

	/** Longer than each wait of these tests. */
	private static final Duration VERY_LONG = Patience.CEILING.multipliedBy(2);

	private static RedisInstance first;

	private static RedisInstance second;

	private final String role = "role-" + SEQUENCE.incrementAndGet();

	private Member one;

	private Member two;

	/** No lease ends by itself while a test waits. */
	@BeforeAll
	static void startInstances() {
		first = new RedisInstance(LockOptions.NONE.withTtl(VERY_LONG));
		second = new RedisInstance(LockOptions.NONE.withTtl(VERY_LONG));
	}

	@AfterAll
	static void closeInstances() {
		first.close();
		second.close();
	}

	@BeforeEach
	void createMembers() {
		this.one = new Member(first, this.role);
		this.two = new Member(second, this.role);
	}

	@AfterEach
	void stopMembers() {
		this.one.initiator.stop();
		this.two.initiator.stop();
	}

	@Test
	void candidateWhileAnotherLeadsDoesNotLead() {
		this.one.lead();
		this.two.initiator.start();
		Patience.await().untilAsserted(() -> assertThat(this.two.refused).hasValueGreaterThan(5));
		assertThat(this.one.isLeader()).isTrue();
		assertThat(this.one.revoked).hasValue(0);
		assertThat(this.two.isLeader()).isFalse();
		assertThat(this.two.granted).hasValue(0);
	}

	@Test
	void leaderWhenItsLeaseIsTakenAwayIsRevokedAndAnotherLeads() {
		this.one.lead();
		this.one.pauseWhenLost();
		this.two.initiator.start();
		second.awaitWaiting(this.role);
		first.takeAway(this.role);
		Patience.await().until(this.two::isLeader);
		Patience.await().untilAtomic(this.one.revoked, (count) -> assertThat(count).isOne());
		assertThat(this.one.isLeader()).isFalse();
		assertThat(this.two.isLeader()).isTrue();
	}

	/** The hold of the lost lease, which is never unlocked, must not keep the lock. */
	@Test
	void leaderWhenElectedAgainAfterALossFreesTheLock() {
		this.one.lead();
		first.takeAway(this.role);
		Patience.await().untilAtomic(this.one.granted, (count) -> assertThat(count).isEqualTo(2));
		assertThat(this.one.revoked).hasValue(1);
		this.one.initiator.stop();
		Patience.await().until(() -> !second.isLocked(this.role));
		this.two.lead();
	}

	@Test
	void leaderWhenItYieldsIsRevokedAndAnotherLeads() {
		this.one.lead();
		this.one.pauseWhenLost();
		this.two.initiator.start();
		second.awaitWaiting(this.role);
		this.one.initiator.getContext().yield();
		Patience.await().until(this.two::isLeader);
		Patience.await().untilAtomic(this.one.revoked, (count) -> assertThat(count).isOne());
		assertThat(this.two.ledBeside).isFalse();
	}

	@Test
	void leaderWhenStoppedFreesTheLockAtOnce() {
		this.one.lead();
		this.two.initiator.start();
		second.awaitWaiting(this.role);
		this.one.initiator.stop();
		Patience.await().until(this.two::isLeader);
		assertThat(this.two.ledBeside).isFalse();
		Patience.await().untilAtomic(this.one.revoked, (count) -> assertThat(count).isOne());
		this.two.initiator.stop();
		Patience.await().until(() -> !first.isLocked(this.role));
	}

	@Test
	void leaderWhenItsInstanceClosesIsRevoked() {
		try (RedisInstance third = new RedisInstance(LockOptions.NONE.withTtl(Duration.ofSeconds(4)))) {
			Member leader = new Member(third, this.role);
			leader.lead();
			leader.pauseWhenLost();
			third.close();
			Patience.await().untilAtomic(leader.revoked, (count) -> assertThat(count).isOne());
			this.two.lead();
			leader.initiator.stop();
		}
	}

	/** A candidate, and its view of the election. */
	private final class Member implements LeaderEventPublisher {

		private final AtomicInteger granted = new AtomicInteger();

		private final AtomicInteger revoked = new AtomicInteger();

		private final AtomicInteger refused = new AtomicInteger();

		private final LockRegistryLeaderInitiator initiator;

		private volatile boolean ledBeside;

		Member(RedisInstance instance, String role) {
			this.initiator = new LockRegistryLeaderInitiator(instance.registry,
					new DefaultCandidate("candidate-" + SEQUENCE.incrementAndGet(), role));
			this.initiator.setLeaderEventPublisher(this);
			this.initiator.setPublishFailedEvents(true);
			this.initiator.setHeartBeatMillis(SHORT_PAUSE);
			this.initiator.setBusyWaitMillis(SHORT_PAUSE);
		}

		void lead() {
			this.initiator.start();
			Patience.await().until(this::isLeader);
		}

		/** Leave the lock to the other candidate. */
		void pauseWhenLost() {
			this.initiator.setBusyWaitMillis(VERY_LONG.toMillis());
		}

		boolean isLeader() {
			return this.initiator.getContext().isLeader();
		}

		@Override
		public void publishOnGranted(Object source, Context context, String role) {
			Member other = (this == LeaderInitiatorIntegrationTests.this.two) ? LeaderInitiatorIntegrationTests.this.one
					: LeaderInitiatorIntegrationTests.this.two;
			this.ledBeside = other.isLeader();
			this.granted.incrementAndGet();
		}

		@Override
		public void publishOnRevoked(Object source, Context context, String role) {
			this.revoked.incrementAndGet();
		}

		@Override
		public void publishOnFailedToAcquire(Object source, Context context, String role) {
			this.refused.incrementAndGet();
		}

	}

}
