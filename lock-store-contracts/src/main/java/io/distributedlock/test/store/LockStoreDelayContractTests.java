package io.distributedlock.test.store;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.test.store.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store with {@link StoreCapability#LOCK_DELAY}: a lock whose lease has
 * run out stays closed for a time, and one that was released does not.
 */
public abstract class LockStoreDelayContractTests extends LockStoreHandleContractTests {

	/** Longer than the commands of a test take. */
	private static final Duration DELAY = TTL;

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void lockIsClosedForAllAfterALeaseThatRanOut(LockMode mode) {
		RequestId dead = takenBriefly(mode, DELAY);
		for (LockMode other : List.of(LockMode.EXCLUSIVE, LockMode.FAIR, LockMode.READ)) {
			assertClosed(this.second.acquire(other));
		}
		assertThat(this.first.renew(dead, TTL)).isFalse();
		assertClosed(this.first.acquire(LockMode.EXCLUSIVE));
	}

	@Test
	void lockIsFreeWhenTheDelayIsOver() {
		takenBriefly(LockMode.EXCLUSIVE, SHORT);
		await().until(() -> this.second.acquire(TTL) instanceof Granted);
	}

	@Test
	void delayBeginsWithTheEndOfTheRenewedLease() {
		RequestId request = take(LockMode.EXCLUSIVE, SHORTER, DELAY);
		assertThat(this.second.remaining()).isGreaterThan(DELAY);
		assertThat(this.first.renew(request, TTL)).isTrue();
		assertThat(this.second.remaining()).isBetween(SHORTER.plus(DELAY), TTL.plus(DELAY));
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void releasedLockHasNoDelay(LockMode mode) {
		RequestId request = take(mode, TTL, DELAY);
		assertThat(this.first.release(request)).isTrue();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	/** Writes that the holder sent before it lost its lease may still be on their way. */
	@Test
	void lateReleaseLeavesTheLockClosed() {
		RequestId request = takenBriefly(LockMode.EXCLUSIVE, DELAY);
		assertThat(this.first.release(request)).as("no other request can have had it").isTrue();
		assertClosed(this.second.acquire(TTL));
	}

	@Test
	void lateReleaseAfterTheDelayFreesTheLock() {
		RequestId request = takenBriefly(LockMode.EXCLUSIVE, SHORT);
		await().until(() -> this.second.remaining().isZero());
		assertThat(this.first.release(request)).isNotNull();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	/** Nothing has run under it. */
	@Test
	void abandonedRequestHasNoDelay() {
		this.first.abandon(take(LockMode.EXCLUSIVE, TTL, DELAY));
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void lockThatIsTakenAwayHasNoDelay() {
		StoreMonitor monitor = this.third.store.monitor();
		if (monitor == null) {
			return;
		}
		takenBriefly(LockMode.EXCLUSIVE, DELAY);
		assertThat(monitor.inspect(this.key).join().keptFor()).isPositive().isLessThanOrEqualTo(DELAY);
		assertThat(monitor.inspect(this.key).join().isLocked()).isTrue();
		assertThat(monitor.forceRelease(new ForceReleaseCommand(this.key, null)).join()).isEqualTo(1);
		assertThat(monitor.inspect(this.key).join().isLocked()).isFalse();
		take(LockMode.EXCLUSIVE, TTL, DELAY);
		assertThat(monitor.inspect(this.key).join().keptFor()).as("while it has a holder").isZero();
		assertThat(monitor.forceRelease(new ForceReleaseCommand(this.key, null)).join()).isEqualTo(1);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	/** A waiter that has died before it knew of its lock has run nothing. */
	@Test
	void delayOfALockThatAReleaseGaveBeginsWithTheNextAttempt() {
		AcquireCommand waiting = givenByARelease();
		if (this.second.hasClaims()) {
			await().until(() -> this.third.acquire(TTL) instanceof Granted);
			assertThat(this.second.acquire(waiting)).isInstanceOf(AcquireOutcome.Refused.class);
		}
	}

	@Test
	void lockThatAReleaseGaveHasItsDelayFromTheNextAttemptOn() {
		AcquireCommand waiting = givenByARelease();
		assertThat(this.second.acquire(waiting)).isInstanceOf(Granted.class);
		assertThat(this.third.remaining()).isBetween(DELAY, TTL.plus(DELAY));
	}

	/** Return the attempt of a request to which a release may have given the lock. */
	private AcquireCommand givenByARelease() {
		RequestId before = this.first.take(LockMode.EXCLUSIVE);
		this.second.require(StoreCapability.LOCK_DELAY);
		AcquireCommand waiting = new AcquireCommand(keys(), this.second.request(), LockMode.EXCLUSIVE, 0, null, TTL,
				Duration.ZERO, WAITING, 0, false, 0, LEASE)
			.withLockDelay(DELAY);
		assertThat(this.second.acquire(waiting)).isInstanceOf(Busy.class);
		this.second.settle();
		assertThat(this.second.acquire(waiting)).isInstanceOf(Busy.class);
		this.first.release(before);
		return waiting;
	}

	private void assertClosed(AcquireOutcome outcome) {
		assertThat(outcome).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEmpty();
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(DELAY);
			assertThat(busy.next()).isFalse();
		});
	}

	/** Take the lock for a lease that runs out, and wait for its end. */
	private RequestId takenBriefly(LockMode mode, Duration delay) {
		RequestId request = this.first.briefly((next) -> acquire(mode, next, SHORT, delay)).request();
		await().until(() -> !(this.second.acquire(TTL) instanceof Busy busy) || busy.holder().isEmpty());
		return request;
	}

	private RequestId take(LockMode mode, Duration ttl, Duration delay) {
		RequestId request = this.first.request();
		assertThat(acquire(mode, request, ttl, delay)).isInstanceOf(Granted.class);
		return request;
	}

	private AcquireOutcome acquire(LockMode mode, RequestId request, Duration ttl, Duration delay) {
		this.first.require(StoreCapability.LOCK_DELAY);
		return this.first
			.acquire(new AcquireCommand(keys(), request, mode, 0, null, ttl, Duration.ZERO, Duration.ZERO, 0, false)
				.withLockDelay(delay));
	}

}
