package io.distributedlock.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.TemplateLease;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The control of a test over the locks of its application. */
@SpringBootTest(properties = { "distributed-lock.wait=0", "distributed-lock.locks.exports.permits=2",
		"distributed-lock.locks.exports.mode=semaphore", "distributed-lock.locks.exports.wait=30s" })
@AutoConfigureTestLocks
class TestLocksTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	@Autowired
	private LockRegistry registry;

	@Autowired
	private LockInspector inspector;

	@Autowired
	private TestLocks locks;

	@Autowired
	private Jobs jobs;

	private static LockRequest orders(String key) {
		return LockRequest.of("orders", key);
	}

	@Test
	void holdWhenTheApplicationHoldsTheLockIsRefused() {
		try (Lease lease = this.registry.acquire(orders("1"))) {
			assertThat(lease.isHeld()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.locks.hold("orders", "1"))
				.withMessageContaining("the application holds it")
				.withMessageContaining("steal");
		}
		assertThat(this.locks.hold("orders", "1").isHeld()).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.locks.hold("orders", "1"))
			.withMessageContaining("this test holds it already");
	}

	/** It was a NullPointerException. */
	@Test
	void lockWhenItsNameIsNullIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.hold(null, "1"))
			.withMessageContaining("no name is an empty string");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.expire(null, "1"))
			.withMessageContaining("no name is an empty string");
	}

	@Test
	void holdWhenClosedWakesTheApplication() {
		Lease other = this.locks.hold("orders", "1");
		CompletableFuture<Lease> waiting = this.registry.acquireAsync(orders("1").waitFor(LONG)).toCompletableFuture();
		assertThat(waiting).isNotDone();
		other.close();
		assertThat(waiting).succeedsWithin(LONG).satisfies(Lease::close);
	}

	@Test
	void holdWhenForReadingLetsOtherReadersIn() {
		this.locks.hold(orders("1").mode(LockMode.READ));
		this.registry.acquire(orders("1").mode(LockMode.READ)).close();
		assertThat(this.registry.tryAcquire(orders("1"))).isEmpty();
	}

	@Test
	void holdWhenTheLockHasAProfileIsAsInTheApplicationButDoesNotWait() {
		this.locks.hold("exports", "1");
		this.locks.hold("exports", "1");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.locks.hold("exports", "1"))
			.satisfies((ex) -> assertThat(ex.getWaited()).isLessThan(LONG));
	}

	@Test
	void holdWhenTheMethodHasNoKeyTakesTheNameOfTheMethod() {
		this.locks.hold("jobs", Jobs.class.getName() + ".report(int)");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.jobs.report(1));
	}

	@Test
	void expireWhenHeldFreesTheLockAndItsHolderKnows() {
		Lease lease = this.registry.acquire(orders("1"));
		this.locks.expire("orders", "1");
		assertThat(lease.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkHeld)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.EXPIRED));
		this.registry.acquire(orders("1")).close();
	}

	@Test
	void expireWhenHeldTellsTheHolder() {
		Lease lease = this.registry.acquire(orders("1"));
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lease.onLost(() -> lost.complete(null));
		this.locks.expire("orders", "1");
		assertThat(lost).succeedsWithin(LONG);
	}

	@Test
	void expireWhenOtherLocksAreHeldLeavesThemAlone() {
		try (Lease kept = this.registry.acquire(orders("1"))) {
			this.registry.acquire(orders("2"));
			this.locks.expire("orders", "2");
			kept.checkHeld();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.locks.hold("orders", "1"));
		}
	}

	@Test
	void expireWhenReleasedOrHeldByAnotherInstanceIsRefused() {
		this.registry.acquire(orders("1")).close();
		this.locks.hold("orders", "1");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.expire("orders", "1"))
			.withMessage("The application does not hold a lock with the name 'orders' and the key '1'");
	}

	@Test
	void stealWhenHeldGivesALaterTokenToTheOtherInstance() {
		Lease lease = this.registry.acquire(orders("1"));
		Lease other = this.locks.steal("orders", "1");
		assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(this.registry.tryAcquire(orders("1"))).isEmpty();
	}

	@Test
	void makeUnavailableWhenALockIsHeldFailsItsRenewal() {
		try (Lease lease = this.registry.acquire(orders("1").ttl(Duration.ofMillis(600)))) {
			CompletableFuture<Void> lost = new CompletableFuture<>();
			lease.onLost(() -> lost.complete(null));
			this.locks.makeUnavailable();
			assertThat(lost).succeedsWithin(LONG);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkHeld)
				.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.EXPIRED));
			((TemplateLease) lease).discard();
		}
	}

	@Test
	void makeUnavailableWhenALockIsAskedForIsNotBusy() {
		this.locks.makeUnavailable();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.registry.acquire(orders("1")))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE))
			.withMessageContaining("The test has made the store of the locks unavailable");
		this.locks.makeAvailable();
		this.registry.acquire(orders("1")).close();
	}

	@Test
	void makeAvailableWhenALockWasToBeReleasedMeanwhileFreesIt() {
		Lease lease = this.registry.acquire(orders("owed"));
		this.locks.makeUnavailable();
		lease.release();
		this.locks.makeAvailable();
		assertThat(this.locks.hold("orders", "owed").isHeld()).isTrue();
	}

	/** The second run would fail if the first one left anything. */
	@RepeatedTest(2)
	void testWhenItLeavesSomethingDoesNotDisturbTheNextOne() {
		this.registry.acquire(orders("left")).close();
		this.locks.hold("orders", "left");
		this.locks.makeUnavailable();
	}

	/** The lock of a job with keepFor was busy for all further tests. */
	@RepeatedTest(2)
	void lockWhenOnlyKeptIsFreeForTheNextTest() {
		LockRequest daily = LockRequest.of("daily").keepFor(Duration.ofHours(1)).waitFor(Duration.ZERO);
		this.registry.acquire(daily).close();
		assertThat(this.registry.tryAcquire(daily)).isEmpty();
	}

	@Test
	void resetWhenAKeptLockIsHeldLeavesItToTheApplication() {
		try (Lease lease = this.registry.acquire(LockRequest.of("running").keepFor(Duration.ofHours(1)))) {
			this.locks.reset();
			lease.checkHeld();
			assertThat(this.inspector.inspect("", "running").isLocked()).isTrue();
		}
		this.locks.reset();
		assertThat(this.inspector.inspect("", "running").isLocked()).isFalse();
	}

	@Test
	void resetWhenTheOtherInstanceKeptALockFreesIt() {
		this.registry.setPermits("", "numbered", 3);
		this.locks.hold(LockRequest.of("kept").keepFor(Duration.ofHours(1))).close();
		assertThat(this.inspector.inspect("", "kept").isLocked()).isTrue();
		this.locks.reset();
		assertThat(this.inspector.inspect("", "kept").isLocked()).isFalse();
		this.registry.acquire(LockRequest.of("numbered").permits(5).take(5)).close();
	}

	/** A job that is locked as itself. */
	static class Jobs {

		@DistributedLock(name = "jobs")
		public void report(int month) {
		}

	}

	/** A slice that has nothing but locks. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Locks {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

}
