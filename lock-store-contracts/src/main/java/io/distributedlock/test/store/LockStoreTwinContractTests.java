package io.distributedlock.test.store;

import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store for twins: two processes that were restored from one image and
 * hold one lock by the same request. Here these are the first and the second instance.
 * The store used to confirm the lock to both.
 */
public abstract class LockStoreTwinContractTests extends LockStoreEndedContractTests {

	private static final RenewalMarks BEFORE = RenewalMarks.NONE.with(7, 0);

	private static final RenewalMarks ONE = BEFORE.with(1, 0);

	private static final RenewalMarks OTHER = BEFORE.with(2, 0);

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void twinThatRenewsFirstKeepsTheLease(LockMode mode) {
		RequestId request = takenByBoth(mode);
		assertThat(this.first.renew(request, TTL, ONE)).isTrue();
		assertThat(this.second.renew(request, TTL, OTHER)).isFalse();
		assertThat(this.first.renew(request, TTL, ONE)).as("the same renewal again").isTrue();
		assertThat(this.first.renew(request, TTL, ONE.with(3, 0))).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void twinThatRenewsFirstKeepsTheLeaseThatWasRenewedInTheImage(LockMode mode) {
		RequestId request = takenByBoth(mode);
		assertThat(this.first.renew(request, TTL, BEFORE)).isTrue();
		assertThat(this.second.renew(request, TTL, OTHER)).isTrue();
		assertThat(this.first.renew(request, TTL, ONE)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void releaseOfTheTwinThatHasLostFreesNothing(LockMode mode) {
		RequestId request = takenByBoth(mode);
		assertThat(this.first.renew(request, TTL, ONE)).isTrue();
		assertThat(this.second.store.release(new ReleaseCommand(keys(), request, OTHER)).join())
			.isEqualTo(Ownership.LOST);
		assertThat(this.first.renew(request, TTL, ONE.with(3, 0))).as("it is still held").isTrue();
		assertThat(this.first.store.release(new ReleaseCommand(keys(), request, ONE.with(3, 0))).join())
			.isEqualTo(Ownership.HELD);
		assertThat(this.first.store.release(new ReleaseCommand(keys(), request, ONE.with(3, 0))).join()).as("again")
			.isEqualTo(Ownership.HELD);
	}

	@Test
	void releaseOfATwinAfterTheOtherHasRenewedLeavesTheLockTaken() {
		RequestId request = takenByBoth(LockMode.EXCLUSIVE);
		assertThat(this.first.renew(request, TTL, ONE)).isTrue();
		this.second.store.release(new ReleaseCommand(keys(), request, RenewalMarks.NONE)).join();
		assertThat(this.third.acquire(TTL)).isInstanceOf(Busy.class);
	}

	/**
	 * Waits for all nodes: a node of a quorum that gets the lock late applies any renewal
	 * once.
	 */
	@Test
	void lateCopyOfAnOlderRenewalChangesNothing() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		awaitTaken(this.key.encoded(), request);
		assertThat(this.first.renew(request, TTL, ONE)).isTrue();
		assertThat(this.first.renew(request, TTL, ONE.with(3, 0))).isTrue();
		assertThat(this.first.renew(request, Duration.ofHours(1), ONE)).isFalse();
		assertThat(this.second.remaining()).isBetween(Duration.ofMillis(1), TTL);
		assertThat(this.first.renew(request, TTL, ONE.with(3, 0))).isTrue();
	}

	/**
	 * A node of a quorum that was unreachable for a while misses renewals in this way.
	 */
	@Test
	void renewalAfterThreeThatDidNotArriveIsApplied() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		assertThat(this.first.renew(request, TTL, BEFORE)).isTrue();
		assertThat(this.first.renew(request, TTL, BEFORE.with(1, 0).with(2, 0).with(3, 0))).isTrue();
		assertThat(this.first.renew(request, TTL, BEFORE.with(4, 0).with(5, 0).with(6, 0).with(8, 0))).isFalse();
	}

	@Test
	void nextHolderOfALeaseThatRanOutIsNotBoundByItsMarks() {
		RequestId request = this.first.request();
		this.first.acquire(request, LEASE);
		this.first.renew(request, SHORT, ONE);
		awaitFree();
		RequestId next = this.second.request();
		assertThat(this.second.acquire(next, TTL)).isInstanceOf(Granted.class);
		assertThat(this.second.renew(next, TTL, OTHER)).isTrue();
	}

	/** Take a lock for both twins, as if they held it when the image was made. */
	private RequestId takenByBoth(LockMode mode) {
		RequestId request = this.first.take(mode);
		this.second.acquire(mode, request, TTL, Duration.ZERO);
		return request;
	}

}
