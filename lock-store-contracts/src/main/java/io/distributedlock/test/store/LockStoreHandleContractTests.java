package io.distributedlock.test.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store with {@link StoreCapability#HANDLES}: a process that only knows
 * the request of a holder renews and releases its lease. Here the first instance holds,
 * and the second one has the handle.
 */
public abstract class LockStoreHandleContractTests extends LockStoreTwinContractTests {

	private static final RenewalMarks RENEWED = RenewalMarks.NONE.with(21, 0);

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void handleReleasesALeaseThatItsHolderHasRenewed(LockMode mode) {
		RequestId request = renewed(mode);
		assertThat(releaseByHandle(request)).isEqualTo(Ownership.HELD);
		assertThat(this.first.renew(request, TTL, RENEWED)).isFalse();
		assertThat(releaseByHandle(request)).as("again").isEqualTo(Ownership.HELD);
		assertThat(this.first.store.release(new ReleaseCommand(keys(), request, RENEWED)).join())
			.as("the holder, which has not heard of it")
			.isEqualTo(Ownership.HELD);
		LockMode next = (mode == LockMode.SEMAPHORE) ? mode : LockMode.EXCLUSIVE;
		for (int i = 0; i < ((mode == LockMode.SEMAPHORE) ? PERMITS : 1); i++) {
			assertThat(this.third.acquire(next)).isInstanceOf(Granted.class);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void handleLengthensALeaseAndLeavesItsHolderTheRenewals(LockMode mode) {
		RequestId request = renewed(mode);
		assertThat(renewByHandle(request, TTL.multipliedBy(2))).isEqualTo(Ownership.HELD);
		assertThat(renewByHandle(request, SHORT)).as("shortens nothing").isEqualTo(Ownership.HELD);
		assertThat(this.first.renew(request, SHORT, RENEWED)).isTrue();
		assertThat(this.first.renew(request, SHORT, RENEWED.with(22, 0))).isTrue();
		assertThat(this.first.renew(request, SHORT, RenewalMarks.NONE.with(23, 0))).as("a twin").isFalse();
		if (mode != LockMode.SEMAPHORE) {
			assertThat(this.third.remaining()).isBetween(TTL, TTL.multipliedBy(2));
		}
	}

	@Test
	void handleOfARequestThatHoldsNoLongerChangesNothing() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		this.first.release(request);
		RequestId next = this.third.take(LockMode.EXCLUSIVE);
		assertThat(renewByHandle(request, TTL)).isEqualTo(Ownership.LOST);
		assertThat(releaseByHandle(request)).as("released by itself").isEqualTo(Ownership.HELD);
		assertThat(releaseByHandle(this.first.request())).as("not known").isEqualTo(Ownership.LOST);
		assertThat(this.third.renew(next, TTL)).isTrue();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void handleOfALeaseThatRanOutDoesNotBringItBack() {
		RequestId request = this.first.takeBriefly(LockMode.EXCLUSIVE);
		awaitFree();
		RequestId next = this.third.take(LockMode.EXCLUSIVE);
		assertThat(renewByHandle(request, TTL)).isNotEqualTo(Ownership.HELD);
		assertThat(releaseByHandle(request)).isNotEqualTo(Ownership.HELD);
		assertThat(this.third.renew(next, TTL)).isTrue();
	}

	@Test
	void releaseByAHandleLeavesTheLockKept() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, TTL, TTL);
		assertThat(releaseByHandle(request)).isEqualTo(Ownership.HELD);
		assertThat(this.third.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void releaseByAHandleWakesTheNextAndTellsTheHolder() throws InterruptedException {
		RequestId before = this.second.take(LockMode.EXCLUSIVE);
		RequestId request = this.first.waitFor(LockMode.EXCLUSIVE);
		this.second.release(before);
		this.first.awaitWakeUp();
		this.first.come(LockMode.EXCLUSIVE, request);
		this.third.waitFor(LockMode.EXCLUSIVE);
		releaseByHandle(request);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.first.revocations.poll(10, TimeUnit.SECONDS))
			.isEqualTo(turn(this.key.encoded(), request.toString()));
	}

	private RequestId renewed(LockMode mode) {
		this.second.require(StoreCapability.HANDLES);
		RequestId request = this.first.take(mode);
		assertThat(this.first.renew(request, TTL, RENEWED)).isTrue();
		return request;
	}

	private Ownership releaseByHandle(RequestId request) {
		this.second.require(StoreCapability.HANDLES);
		return this.second.store.release(new ReleaseCommand(keys(), request, RenewalMarks.ANY)).join();
	}

	private Ownership renewByHandle(RequestId request, Duration ttl) {
		this.second.require(StoreCapability.HANDLES);
		return answers(this.second.store.renew(List.of(new RenewCommand(this.key, request, ttl, RenewalMarks.ANY))))
			.get(0);
	}

}
