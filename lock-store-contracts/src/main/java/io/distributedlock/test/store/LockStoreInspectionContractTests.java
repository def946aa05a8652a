package io.distributedlock.test.store;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreMonitor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.READ;
import static io.distributedlock.LockMode.SEMAPHORE;
import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * The contract of every store with a {@link StoreMonitor} for inspections and
 * force-releases.
 */
public abstract class LockStoreInspectionContractTests extends LockStorePermitsContractTests {

	@Test
	void inspectionOfWhatWasNeverTakenIsFree() {
		LockInspection seen = inspect();
		assertThat(seen.isLocked()).isFalse();
		assertThat(seen.holders()).isEmpty();
		assertThat(seen.waiting()).isZero();
		assertThat(seen.silentNodes()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void inspectionNamesTheHolderWithItsTokenAndTheRestOfItsLease(LockMode mode) {
		RequestId request = this.first.request();
		AcquireOutcome outcome = this.first.acquire(mode, request, TTL, Duration.ZERO);
		awaitTaken(this.key.encoded(), request);
		LockInspection seen = inspect();
		assertThat(seen.isLocked()).isTrue();
		assertThat(seen.mode()).isEqualTo((mode == READ || mode == SEMAPHORE) ? mode : EXCLUSIVE);
		assertThat(seen.holderCount()).isEqualTo(1);
		assertThat(seen.freePermits()).isEqualTo((mode == SEMAPHORE) ? PERMITS - 1 : 0);
		assertThat(seen.holders()).singleElement().satisfies((holder) -> {
			assertThat(holder.request()).isEqualTo(request.toString());
			assertThat(holder.instance()).isEqualTo(this.first.name());
			assertThat(holder.fencingToken()).isEqualTo(token(outcome));
			assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(TTL);
		});
		this.first.release(request);
		assertThat(inspect().isLocked()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void inspectionNamesAllThatShareTheLock(LockMode mode) {
		RequestId one = this.first.take(mode);
		RequestId other = this.second.take(mode);
		assertThat(inspect().holders()).extracting(Holder::request)
			.containsExactlyInAnyOrder(one.toString(), other.toString());
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void inspectionCountsThoseThatWait(LockMode mode) {
		this.first.take(EXCLUSIVE);
		RequestId waiting = this.second.waitFor(mode);
		assertThat(inspect().waiting()).isEqualTo(1);
		this.second.abandon(waiting);
		await().untilAsserted(() -> assertThat(inspect().waiting()).isZero());
	}

	@Test
	void inspectionOfALeaseThatRanOutNamesNoHolder() {
		this.first.takeBriefly(EXCLUSIVE);
		await().until(() -> !inspect().isLocked());
		assertThat(inspect().holders()).isEmpty();
	}

	@Test
	void inspectionOfALockThatIsOnlyKeptSaysSo() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, TTL, TTL);
		awaitTaken(this.key.encoded(), request);
		this.first.release(request);
		LockInspection seen = inspect();
		assertThat(seen.isLocked()).isTrue();
		assertThat(seen.holders()).isEmpty();
		assertThat(seen.keptFor()).isPositive().isLessThanOrEqualTo(TTL);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void holderFromWhichTheLockWasTakenAwayHasEnded(LockMode mode) {
		RequestId request = this.first.request();
		long token = token(this.first.acquire(mode, request, TTL, Duration.ZERO));
		awaitTaken(this.key.encoded(), request);
		assertThat(forceRelease(null)).isEqualTo(1);
		awaitReleased(this.key.encoded(), request);
		assertThat(inspect().isLocked()).isFalse();
		assertThat(renewal(request, TTL)).isEqualTo(Ownership.LOST);
		assertThat(this.first.acquire(mode, request, TTL, WAITING)).isInstanceOf(Refused.class);
		assertThat(release(request)).isEqualTo(Ownership.LOST);
		AcquireOutcome next = this.second.acquire(mode, this.second.request(), TTL, Duration.ZERO);
		assertThat(token(next)).isGreaterThanOrEqualTo((mode == READ) ? token : token + 1);
		assertThat(forceRelease(request)).as("once more").isZero();
		assertThat(inspect().isLocked()).as("by the next holder").isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void lockIsTakenAwayFromOneOfThoseThatShareIt(LockMode mode) {
		RequestId one = this.first.take(mode);
		RequestId other = this.second.take(mode);
		assertThat(forceRelease(one)).isEqualTo(1);
		awaitReleased(this.key.encoded(), one);
		assertThat(this.first.renew(one, TTL)).isFalse();
		assertThat(this.second.renew(other, TTL)).isTrue();
		assertThat(forceRelease(null)).isEqualTo(1);
		awaitReleased(this.key.encoded(), other);
		assertThat(this.second.renew(other, TTL)).isFalse();
	}

	@Test
	void lockIsNotTakenAwayFromAnotherRequest() {
		RequestId request = this.first.take(EXCLUSIVE);
		assertThat(forceRelease(this.second.request())).isZero();
		assertThat(this.first.renew(request, TTL)).isTrue();
	}

	/** Redis took this request for all holders. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void lockIsNotTakenAwayFromTheRequestOfZeros(LockMode mode) {
		RequestId request = this.first.take(mode);
		assertThat(forceRelease(RequestId.parse("0".repeat(RequestId.LENGTH)))).isZero();
		assertThat(this.first.renew(request, TTL)).isTrue();
	}

	@Test
	void keptLockThatIsTakenAwayIsFree() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, TTL, TTL);
		awaitTaken(this.key.encoded(), request);
		this.first.release(request);
		assertThat(forceRelease(null)).isEqualTo(1);
		assertThat(forceRelease(null)).isZero();
		await().until(() -> this.second.acquire(TTL) instanceof Granted);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void lockThatIsTakenAwayWakesTheNextWaiter(LockMode mode) {
		this.first.take(EXCLUSIVE);
		RequestId waiting = this.second.waitFor(mode);
		forceRelease(null);
		assertThat(this.second.awaitWakeUp()).startsWith(this.key.encoded());
		this.second.come(mode, waiting);
	}

	/** A mistyped request blocked later requests of the caller. */
	@Test
	void requestThatIsNotKnownIsNotRefusedWhenItComes() {
		RequestId request = this.first.request();
		assertThat(forceRelease(request)).isZero();
		this.first.come(EXCLUSIVE, request);
	}

	@Test
	void holderThatListensIsToldThatTheLockWasTakenAway() throws InterruptedException {
		RequestId before = this.second.take(EXCLUSIVE);
		RequestId request = this.first.waitFor(EXCLUSIVE);
		this.second.release(before);
		this.first.awaitWakeUp();
		this.first.come(EXCLUSIVE, request);
		awaitTaken(this.key.encoded(), request);
		forceRelease(null);
		assertThat(this.first.revocations.poll(10, TimeUnit.SECONDS))
			.isEqualTo(turn(this.key.encoded(), request.toString()));
	}

	private StoreMonitor monitor() {
		return Objects.requireNonNull(this.third.store.monitor(), "monitor");
	}

	/** Inspects again while a node of a quorum is late, which might have anything. */
	private LockInspection inspect() {
		return await().until(() -> monitor().inspect(this.key).join(), (seen) -> seen.silentNodes().isEmpty());
	}

	/** Take the lock away from all, or from one request only. */
	private int forceRelease(@Nullable RequestId only) {
		return monitor().forceRelease(new ForceReleaseCommand(this.key, only)).join();
	}

}
