package io.distributedlock.test.store;

import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.test.store.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of every store for a holder that sets its lease anew. Each of the marks
 * below knows those above it, but {@code TWIN} only knows {@code RENEWED}.
 */
public abstract class LockStoreExtendContractTests extends LockStoreDelayContractTests {

	private static final Duration MOST_OF_TTL = TTL.dividedBy(2);

	private static final RenewalMarks RENEWED = RenewalMarks.NONE.with(11, 0);

	private static final RenewalMarks EXTENDED = RENEWED.with(12, 0);

	private static final RenewalMarks EXTENDED_AGAIN = EXTENDED.with(13, 0);

	/** Marks of a twin, which has drawn other ones since the image was made. */
	private static final RenewalMarks TWIN = RENEWED.with(14, 0);

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void extendShortens(LockMode mode) {
		for (int i = 1; mode == LockMode.SEMAPHORE && i < PERMITS; i++) {
			this.second.take(mode);
		}
		RequestId request = this.first.take(mode);
		assertThat(extend(request, LEASE, EXTENDED)).isEqualTo(Ownership.HELD);
		LockMode next = (mode != LockMode.READ) ? mode : LockMode.EXCLUSIVE;
		await().atMost(MOST_OF_TTL).until(() -> this.third.acquire(next) instanceof Granted);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void extendLengthens(LockMode mode) {
		RequestId request = this.first.take(mode, SHORTER);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(this.second.remaining()).isBetween(MOST_OF_TTL, TTL);
	}

	@Test
	void extendOfAPermitLengthensThatOne() {
		RequestId request = this.first.take(LockMode.SEMAPHORE, SHORTER);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.HELD);
		for (int i = 1; i < PERMITS; i++) {
			this.second.take(LockMode.SEMAPHORE, LEASE);
		}
		for (int i = 1; i < PERMITS; i++) {
			await().until(() -> this.third.acquire(LockMode.SEMAPHORE) instanceof Granted);
		}
		AcquireOutcome outcome = this.third.acquire(LockMode.SEMAPHORE);
		assertThat(outcome).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.remaining()).isGreaterThan(SHORTER));
	}

	@Test
	void extendKeepsTheToken() {
		RequestId request = this.first.request();
		long token = token(this.first.acquire(request, TTL));
		assertThat(extend(request, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(token(this.first.acquire(request, SHORTER))).isEqualTo(token);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void extendWhenExpiredDoesNotResurrect(LockMode mode) {
		RequestId request = this.first.takeBriefly(mode);
		awaitExpired(this.first, request);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.EXPIRED);
		assertThat(this.second.acquire((mode != LockMode.READ) ? mode : LockMode.EXCLUSIVE))
			.isInstanceOf(Granted.class);
	}

	@Test
	void extendWhenReleasedIsLost() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		this.first.release(request);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.LOST);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void extendWhenAnotherHoldsLeavesItAlone() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		assertThat(extend(this.first.request(), LEASE, EXTENDED)).isEqualTo(Ownership.LOST);
		assertThat(this.second.remaining()).isGreaterThan(MOST_OF_TTL);
		assertThat(this.first.renew(request, TTL)).isTrue();
	}

	/** The renewal was sent before the extend and arrives after it. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void lateRenewalDoesNotUndoAnExtend(LockMode mode) {
		RequestId request = this.first.take(mode);
		assertThat(this.first.renew(request, TTL, RENEWED)).isTrue();
		assertThat(extend(request, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(this.first.renew(request, TTL, RENEWED)).isFalse();
		assertShortened();
		assertThat(this.first.renew(request, SHORTER, EXTENDED)).as("it is held").isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void lateExtendDoesNotUndoALaterOne(LockMode mode) {
		RequestId request = this.first.take(mode);
		assertThat(extend(request, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, TTL, EXTENDED_AGAIN)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, LEASE, EXTENDED)).isEqualTo(Ownership.LOST);
		assertThat(this.second.remaining()).isGreaterThan(MOST_OF_TTL);
	}

	@Test
	void copyOfALongExtendDoesNotUndoAShorterOne() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, SHORTER, EXTENDED_AGAIN)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.LOST);
		assertShortened();
	}

	/** A driver sends a command again when its answer was lost. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void copyOfAnExtendChangesNothing(LockMode mode) {
		RequestId request = this.first.take(mode);
		assertThat(extend(request, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(this.first.renew(request, TTL, EXTENDED)).isTrue();
		assertThat(extend(request, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(this.second.remaining()).isGreaterThan(MOST_OF_TTL);
	}

	/** The mark of the later renewal shows the store that the extend is late. */
	@Test
	void extendThatARenewalHasOvertakenChangesNothing() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		assertThat(this.first.renew(request, TTL, EXTENDED_AGAIN)).isTrue();
		assertThat(extend(request, LEASE, EXTENDED)).isEqualTo(Ownership.LOST);
		assertThat(this.second.remaining()).isGreaterThan(MOST_OF_TTL);
		assertThat(this.first.renew(request, TTL, EXTENDED_AGAIN)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void extendOfATwinIsThatOfNoHolder(LockMode mode) {
		RequestId request = this.first.take(mode);
		assertThat(extend(request, TTL, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, LEASE, TWIN)).isEqualTo(Ownership.LOST);
		assertThat(this.first.renew(request, TTL, TWIN)).isFalse();
		assertThat(this.first.store.release(new ReleaseCommand(keys(), request, TWIN)).join())
			.isEqualTo(Ownership.LOST);
		assertThat(this.first.store.release(new ReleaseCommand(keys(), request, EXTENDED)).join())
			.isEqualTo(Ownership.HELD);
	}

	@Test
	void extendByATwinThatHasExtendedFirstIsRefused() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		assertThat(this.first.renew(request, TTL, TWIN)).isTrue();
		assertThat(extend(request, LEASE, EXTENDED)).isEqualTo(Ownership.LOST);
		assertThat(this.second.remaining()).isGreaterThan(MOST_OF_TTL);
	}

	@Test
	void extendKeepsTheLockTakenAfterItsRelease() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		assertThat(extend(request, TTL, TTL, EXTENDED)).isEqualTo(Ownership.HELD);
		releaseExtended(request);
		assertThat(this.second.remaining()).isBetween(MOST_OF_TTL, TTL);
	}

	@Test
	void extendKeepsTheLockTakenForAShorterTime() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, TTL, TTL);
		awaitTaken(this.key.encoded(), request);
		assertThat(extend(request, TTL, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		releaseExtended(request);
		assertShortened();
	}

	@Test
	void extendKeepsTheLockTakenNoLongerThanItIsHeld() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, TTL, TTL);
		awaitTaken(this.key.encoded(), request);
		assertThat(extend(request, TTL, Duration.ZERO, EXTENDED)).isEqualTo(Ownership.HELD);
		releaseExtended(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void extendOfTheLeaseAloneLeavesTheLockKeptAsItWas() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, TTL, TTL);
		awaitTaken(this.key.encoded(), request);
		assertThat(extend(request, SHORTER, EXTENDED)).isEqualTo(Ownership.HELD);
		releaseExtended(request);
		assertThat(this.second.remaining()).isGreaterThan(MOST_OF_TTL);
	}

	/** The copy arrives after a later extend, which has ended the keeping. */
	@Test
	void copyOfAnExtendDoesNotKeepTheLockAgain() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		assertThat(extend(request, TTL, TTL, EXTENDED)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, TTL, Duration.ZERO, EXTENDED_AGAIN)).isEqualTo(Ownership.HELD);
		assertThat(extend(request, TTL, TTL, EXTENDED)).isEqualTo(Ownership.LOST);
		releaseExtended(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	private void releaseExtended(RequestId request) {
		RenewalMarks all = EXTENDED_AGAIN;
		assertThat(this.first.store.release(new ReleaseCommand(keys(), request, all)).join()).isEqualTo(Ownership.HELD);
		awaitReleased(this.key.encoded(), request);
	}

	private Ownership extend(RequestId request, Duration ttl, RenewalMarks marks) {
		return extend(request, ttl, null, marks);
	}

	private Ownership extend(RequestId request, Duration ttl, @Nullable Duration keepFor, RenewalMarks marks) {
		return this.first.store.extend(new ExtendCommand(keys(), request, ttl, keepFor, marks)).join();
	}

}
