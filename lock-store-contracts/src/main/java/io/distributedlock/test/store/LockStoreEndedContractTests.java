package io.distributedlock.test.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * Contract of every store for requests that have ended. Their tombstones stay for a time,
 * however many others come in between. A later request of their contender proves that
 * they have ended.
 */
public abstract class LockStoreEndedContractTests extends LockStoreClaimContractTests {

	private static final int PLACE = 5;

	/** More than any number of requests after which a tombstone was ever forgotten. */
	private static final int MANY = 100;

	/** A store remembers ended requests at least this long. */
	private static final Duration LEAST_RETENTION = Duration.ofSeconds(1);

	/**
	 * After 8 other holders it was granted, and the lock stayed taken for its whole
	 * lease.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 8, MANY })
	void lateCopyOfAnAcquireIsRefusedAfterOtherHolders(int others) {
		RequestId late = this.first.take(EXCLUSIVE);
		this.first.release(late);
		holdOneAfterTheOther(EXCLUSIVE, others);
		assertThat(this.first.acquire(late, TTL)).isInstanceOf(Refused.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIR", "READ", "SEMAPHORE" })
	void lateCopyOfAnAcquireOfAnyKindIsRefusedAfterManyOtherHolders(LockMode mode) {
		RequestId late = this.first.take(mode);
		this.first.release(late);
		holdOneAfterTheOther(mode, MANY);
		assertThat(this.first.acquire(mode, late, TTL, WAITING)).isInstanceOf(Refused.class);
	}

	/** After 8 other holders it was reported as a loss, although the work was done. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void releaseThatIsRepeatedAfterManyOtherHoldersIsASuccess(LockMode mode) {
		RequestId released = this.first.take(mode);
		assertThat(this.first.release(released)).isTrue();
		holdOneAfterTheOther(mode, MANY);
		assertThat(this.first.release(released)).isTrue();
	}

	/** After 64 others it was granted. */
	@Test
	void requestThatWasAbandonedFirstIsRefusedAfterManyOthers() {
		RequestId late = this.first.request();
		this.first.abandon(late);
		for (int i = 0; i < MANY; i++) {
			this.second.abandon(this.second.request());
		}
		assertThat(this.first.acquire(late, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void sharersThatEndTogetherAreAllRemembered() {
		List<RequestId> readers = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			readers.add(this.first.take(READ));
		}
		readers.forEach(this.first::release);
		assertThat(readers).allMatch(this.first::release);
		assertThat(readers).allMatch((reader) -> this.first.acquire(READ, reader, TTL, WAITING) instanceof Refused);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	void requestThatWasReleasedIsRememberedForASecond(LockMode mode) {
		RequestId released = this.first.take(mode);
		withinTheLeastRetention(() -> assertThat(this.first.release(released)).isTrue(),
				() -> this.first.acquire(mode, released, TTL, Duration.ZERO) instanceof Refused
						&& this.first.release(released));
	}

	@Test
	void requestThatWasAbandonedFirstIsRefusedForASecond() {
		RequestId late = this.first.request();
		withinTheLeastRetention(() -> this.first.abandon(late), () -> this.first.acquire(late, TTL) instanceof Refused);
	}

	/** Check the answers that come within that time, counted from before the end. */
	private static void withinTheLeastRetention(Runnable end, BooleanSupplier remembered) {
		long start = System.nanoTime();
		end.run();
		await().until(() -> {
			boolean answer = remembered.getAsBoolean();
			boolean over = System.nanoTime() - start >= LEAST_RETENTION.toNanos();
			assertThat(over || answer).as("remembered for %s from its end", LEAST_RETENTION).isTrue();
			return over;
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void requestOfATwinWithTheSameNumberIsRefusedAndEndsNothing(LockMode mode) {
		RequestId request = this.first.take(mode);
		RequestId twin = RequestId.of(request.instanceBits(), request.place(), request.number(), 1);
		assertThat(this.second.acquire(mode, twin, TTL, WAITING)).isInstanceOf(Refused.class);
		assertThat(this.second.release(twin)).isFalse();
		this.second.abandon(twin);
		assertThat(this.first.renew(request, TTL)).isTrue();
		assertThat(this.first.release(request)).isTrue();
		assertThat(this.second.acquire(mode, twin, TTL, WAITING)).isInstanceOf(Refused.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void laterRequestDoesNotTakeTheLiveLockOfItsContender(LockMode mode) {
		RequestId request = this.first.request(PLACE);
		assertThat(this.first.acquire(mode, request, TTL, WAITING)).isInstanceOf(Granted.class);
		awaitTaken(this.key.encoded(), request);
		RequestId later = this.first.request(PLACE);
		assertThat(this.first.acquire(mode, later, TTL, WAITING)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(this.first.name());
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(TTL);
		});
		this.first.abandon(later);
		assertThat(this.first.renew(request, TTL)).isTrue();
		assertThat(this.first.release(request)).isTrue();
		assertThat(this.first.acquire(mode, this.first.request(PLACE), TTL, WAITING)).isInstanceOf(Granted.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void earlierRequestOfAContenderHasEnded(LockMode mode) {
		RequestId earlier = this.first.request(PLACE);
		RequestId later = this.first.request(PLACE);
		assertThat(this.first.acquire(mode, later, TTL, WAITING)).isInstanceOf(Granted.class);
		awaitTaken(this.key.encoded(), later);
		assertThat(this.first.acquire(mode, earlier, TTL, WAITING)).isInstanceOf(Refused.class);
		assertThat(this.first.renew(earlier, TTL)).isFalse();
		assertThat(this.first.release(earlier)).as("a clone of its process may have the lock").isFalse();
		this.first.abandon(earlier);
		assertThat(this.first.renew(later, TTL)).isTrue();
		this.first.release(later);
		assertThat(this.first.release(earlier)).as("or had it").isFalse();
	}

	/** A late copy of it took the lock for a whole lease, without a caller. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void requestThatIsAbandonedBehindAHolderIsRefusedAfterIt(LockMode mode) {
		RequestId earlier = this.first.request(PLACE);
		assertThat(this.first.acquire(mode, earlier, TTL, WAITING)).isInstanceOf(Granted.class);
		RequestId later = this.first.request(PLACE);
		this.first.abandon(later);
		assertThat(this.first.renew(earlier, TTL)).isTrue();
		assertThat(this.first.release(earlier)).isTrue();
		assertThat(this.first.acquire(mode, later, TTL, WAITING)).isInstanceOf(Refused.class);
		this.second.release(this.second.take(mode));
		assertThat(this.first.acquire(mode, later, TTL, WAITING)).isInstanceOf(Refused.class);
	}

	@Test
	void earlierRequestOfAContenderWhoseLastOneIsGoneIsReleased() {
		RequestId earlier = this.first.request(PLACE);
		this.first.abandon(this.first.request(PLACE));
		assertThat(this.first.release(earlier)).isTrue();
	}

	/**
	 * The release is late, but no other request has had the lock meanwhile, unlike in
	 * {@link #releaseWhenExpiredIsFalse()}.
	 */
	@Test
	void releaseAfterTheLeaseIsASuccessWhileTheLockWasNotTakenAgain() {
		RequestId request = this.first.takeBriefly(EXCLUSIVE);
		awaitExpired(this.first, request);
		assertThat(this.first.release(request)).isTrue();
	}

	/** It was reported as a request whose lock another holder has taken. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void requestWhoseLeaseHasRunOutIsToldSo(LockMode mode) {
		RequestId request = this.first.takeBriefly(mode);
		awaitExpired(this.first, request);
		await().until(() -> this.second.acquire(mode) instanceof Granted);
		assertThat(renewal(request, TTL)).isEqualTo(Ownership.EXPIRED);
		assertThat(release(request)).isEqualTo(Ownership.EXPIRED);
	}

	@Test
	void requestThatIsNotKnownIsLost() {
		assertThat(renewal(this.first.request(), TTL)).isEqualTo(Ownership.LOST);
		assertThat(release(this.first.request())).isEqualTo(Ownership.LOST);
	}

	/** Let the first instance renew a request that holds the lock or has held it. */
	final Ownership renewal(RequestId request, Duration ttl) {
		return this.first.store.renew(List.of(new RenewCommand(this.key, request, ttl))).get(0).join();
	}

	/** Let the first instance release a request that holds the lock or has held it. */
	final Ownership release(RequestId request) {
		return this.first.store.release(new ReleaseCommand(this.key, request)).join();
	}

	private void holdOneAfterTheOther(LockMode mode, int others) {
		for (int i = 0; i < others; i++) {
			RequestId other = this.second.request();
			assertThat(this.second.acquire(mode, other, TTL, WAITING)).isInstanceOf(Granted.class);
			this.second.release(other);
		}
	}

}
