package io.distributedlock.test.store;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockInspection;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import org.junit.jupiter.api.Test;

import static io.distributedlock.test.store.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Contract of every store with {@link StoreCapability#SEVERAL_PERMITS}: requests that
 * take several of five permits, and a number of permits that is set for all requests.
 */
public abstract class LockStorePermitsContractTests extends LockStoreSemaphoreContractTests {

	private static final int LIMIT = 5;

	@Test
	void severalPermitsAreTakenAllOrNone() {
		take(this.first, 3);
		assertThat(attempt(this.second, this.second.request(), 3, TTL)).isInstanceOf(Busy.class);
		take(this.second, 2);
		assertThat(attempt(this.third, this.third.request(), 1, TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void severalPermitsAreReleasedAsOne() {
		RequestId large = take(this.first, 4);
		assertThat(this.first.release(large)).isTrue();
		assertThat(this.first.release(large)).as("again").isTrue();
		take(this.second, 5);
		assertThat(attempt(this.third, this.third.request(), 1, TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void severalPermitsAreAbandonedAsOne() {
		this.first.abandon(take(this.first, 4));
		take(this.second, 5);
	}

	@Test
	void severalPermitsAreLostAsOne() {
		RequestId dead = this.first.briefly((next) -> attempt(this.first, next, 4, SHORT)).request();
		take(this.second, 1);
		await().until(() -> attempt(this.third, this.third.request(), 4, TTL) instanceof Granted);
		assertThat(this.first.renew(dead, TTL)).isFalse();
		assertThat(this.first.release(dead)).isFalse();
	}

	@Test
	void severalPermitsAreRenewedAndExtendedAsOne() {
		RequestId large = this.first.request();
		assertThat(attempt(this.first, large, 4, SHORTER)).isInstanceOf(Granted.class);
		assertThat(this.first.renew(large, TTL)).isTrue();
		assertRemaining(SHORTER, TTL);
		ExtendCommand extend = new ExtendCommand(keys(), large, TTL.multipliedBy(2), null,
				RenewalMarks.NONE.with(31, 0));
		assertThat(this.first.store.extend(extend).join()).isEqualTo(Ownership.HELD);
		assertRemaining(TTL, TTL.multipliedBy(2));
	}

	private void assertRemaining(Duration from, Duration to) {
		for (int permits : new int[] { 2, LIMIT }) {
			assertThat(attempt(this.second, this.second.request(), permits, TTL)).isInstanceOfSatisfying(Busy.class,
					(busy) -> assertThat(busy.remaining()).isBetween(from, to));
		}
	}

	@Test
	void repeatedRequestTakesNoMorePermits() {
		RequestId large = this.first.request();
		AcquireOutcome outcome = attempt(this.first, large, 3, TTL);
		assertThat(attempt(this.first, large, 3, TTL)).isEqualTo(outcome);
		take(this.second, 2);
	}

	@Test
	void busyRequestLearnsWhenEnoughPermitsAreFree() {
		RequestId shorter = this.first.request();
		attempt(this.first, shorter, 2, SHORTER);
		RequestId longer = this.second.request();
		attempt(this.second, longer, 3, TTL);
		assertThat(attempt(this.third, this.third.request(), 2, TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(this.first.name());
			assertThat(busy.remaining()).isLessThanOrEqualTo(SHORTER);
		});
		assertThat(attempt(this.third, this.third.request(), 3, TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(this.second.name());
			assertThat(busy.remaining()).isGreaterThan(SHORTER);
		});
	}

	@Test
	void releaseOfSeveralPermitsWakesSeveralWaiters() {
		RequestId large = take(this.first, LIMIT);
		waitFor(this.second);
		waitFor(this.third);
		this.first.release(large);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void holdersAreInspectedWithTheirPermits() {
		RequestId large = take(this.first, 3);
		take(this.second, 1);
		LockInspection seen = monitor().inspect(this.key).join();
		assertThat(seen.permits()).isEqualTo(LIMIT);
		assertThat(seen.freePermits()).isEqualTo(1);
		assertThat(seen.holders()).hasSize(2)
			.filteredOn((holder) -> holder.request().equals(large.toString()))
			.singleElement()
			.satisfies((holder) -> assertThat(holder.permits()).isEqualTo(3));
		assertThat(monitor().forceRelease(new ForceReleaseCommand(this.key, large)).join()).isEqualTo(1);
		take(this.third, 4);
	}

	@Test
	void numberThatWasSetCountsBeforeThatOfRequests() {
		setPermits(3);
		take(this.first, 2);
		RequestId other = this.second.request();
		assertThat(this.second.acquire(command(other, 7, 1, TTL, Duration.ZERO))).isInstanceOf(Granted.class);
		assertThat(attempt(this.third, this.third.request(), 1, TTL)).isInstanceOf(Busy.class);
		setPermits(4);
		take(this.third, 1);
		setPermits(1);
		assertThat(this.second.renew(other, TTL)).as("nothing is taken away").isTrue();
		this.second.release(other);
		assertThat(attempt(this.second, this.second.request(), 1, TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void numberThatIsRemovedCountsNoMore() {
		setPermits(1);
		RequestId only = take(this.first, 1);
		setPermits(0);
		this.first.release(only);
		take(this.second, LIMIT);
	}

	@Test
	void requestForMorePermitsThanWereSetIsMisconfigured() {
		setPermits(2);
		assertThat(this.first.store.acquire(command(this.first.request(), LIMIT, 3, TTL, Duration.ZERO)))
			.failsWithin(WAITING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED))
			.withMessageContaining("3 permits")
			.withMessageContaining("to 2");
		take(this.first, 2);
	}

	@Test
	void semaphoreWhoseNumberWasSetIsNoOtherLock() {
		setPermits(2);
		assertThat(this.first.store
			.acquire(new AcquireCommand(this.key, this.first.request(), TTL, Duration.ZERO, Duration.ZERO)))
			.failsWithin(WAITING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining("2 permits");
	}

	@Test
	void numberOfALockInUseIsMisconfigured() {
		RequestId owner = this.first.take(LockMode.EXCLUSIVE);
		requireSeveral();
		assertThat(monitor().setPermits(this.key, 2)).failsWithin(WAITING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining("no semaphore");
		assertThat(this.first.renew(owner, TTL)).isTrue();
		this.first.release(owner);
		setPermits(2);
	}

	@Test
	void largerNumberWakesAWaiter() {
		take(this.first, LIMIT);
		RequestId waiting = waitFor(this.second);
		setPermits(LIMIT + 1);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(attempt(this.second, waiting, 1, TTL)).isInstanceOf(Granted.class);
	}

	private RequestId take(Instance instance, int permits) {
		RequestId request = instance.request();
		assertThat(attempt(instance, request, permits, TTL)).isInstanceOf(Granted.class);
		return request;
	}

	private RequestId waitFor(Instance instance) {
		RequestId request = instance.request();
		AcquireCommand command = command(request, LIMIT, 1, TTL, WAITING);
		assertThat(instance.acquire(command)).isInstanceOf(Busy.class);
		instance.settle();
		return request;
	}

	private AcquireOutcome attempt(Instance instance, RequestId request, int permits, Duration ttl) {
		requireSeveral();
		return instance.acquire(command(request, LIMIT, permits, ttl, Duration.ZERO));
	}

	private AcquireCommand command(RequestId request, int limit, int permits, Duration ttl, Duration waiting) {
		return new AcquireCommand(keys(), request, LockMode.SEMAPHORE, limit, null, ttl, Duration.ZERO, waiting, 0,
				false)
			.taking(permits);
	}

	private void requireSeveral() {
		this.first.require(StoreCapability.SEVERAL_PERMITS);
	}

	private void setPermits(int permits) {
		requireSeveral();
		monitor().setPermits(this.key, permits).join();
	}

	private StoreMonitor monitor() {
		StoreMonitor monitor = this.third.store.monitor();
		assumeTrue(monitor != null, "the store has no monitor");
		return Objects.requireNonNull(monitor);
	}

}
