package io.distributedlock.test.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * The beginning of the contract of every store with the engine. The tests of a store
 * extend {@link LockStoreSemaphoreContractTests} or a later suite, which include this
 * one.
 */
public abstract class LockStoreContractTests extends ThreeInstances {

	@Test
	void capabilitiesAreThoseThatTheSuiteExpects() {
		assertThat(this.first.store.capabilities()).as("tests of capabilities that are missing are skipped")
			.containsExactlyInAnyOrderElementsOf(expectedCapabilities());
	}

	@Test
	void acquireWhenFreeIsGranted() {
		assertThat(this.first.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void acquireWhenHeldIsBusyWithHolderAndRemainingTime() {
		this.first.acquire(TTL);
		AcquireOutcome outcome = this.second.acquire(TTL);
		assertThat(outcome).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(this.first.name());
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(TTL);
		});
	}

	@Test
	void acquireWhenRepeatedKeepsTheToken() {
		RequestId request = this.first.request();
		AcquireOutcome outcome = this.first.acquire(request, TTL);
		assertThat(this.first.acquire(request, TTL)).isEqualTo(outcome);
	}

	@Test
	void acquireWhenRepeatedLengthensButNeverShortens() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORTER);
		this.first.acquire(request, TTL);
		this.first.acquire(request, SHORT);
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void acquireWhenReleasedBeforeIsRefused() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.release(request);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenReleasedBeforeIsRefusedAlsoWhileAnotherHolds() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.release(request);
		this.second.acquire(TTL);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenAbandonedBeforeItArrivesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void acquireWhenAbandonedBeforeManyReleasesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		for (int i = 0; i < 50; i++) {
			RequestId other = this.second.request();
			this.second.acquire(other, TTL);
			this.second.release(other);
		}
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	/** A repeated abandon used to push the tombstones of other requests out. */
	@Test
	void acquireWhenAbandonedBeforeAnotherIsManyTimesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		RequestId retried = this.second.request();
		for (int i = 0; i < 20; i++) {
			this.second.abandon(retried);
		}
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenExpiredBeforeIsRefused() {
		RequestId request = this.first.takeBriefly(LockMode.EXCLUSIVE);
		awaitFree();
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireWhenExpiredAndTakenByAnotherIsRefused() {
		RequestId request = this.first.takeBriefly(LockMode.EXCLUSIVE);
		awaitFree();
		RequestId other = this.second.request();
		this.second.acquire(other, TTL);
		this.second.release(other);
		assertThat(this.first.acquire(request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void tokenGrowsFromHolderToHolder() {
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Instance instance = (i % 2 == 0) ? this.first : this.second;
			RequestId request = instance.request();
			tokens.add(token(instance.acquire(request, TTL)));
			instance.release(request);
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void tokenGrowsAfterExpiry() {
		long expired = briefToken();
		awaitFree();
		assertThat(token(this.second.acquire(TTL))).isGreaterThan(expired);
	}

	@Test
	void tokenIsLargerThanTheLargestThatTheClientHasSeen() {
		long seen = briefToken() + 50_000_000;
		awaitFree();
		AcquireCommand command = new AcquireCommand(List.of(this.key), this.second.request(), LockMode.EXCLUSIVE, 0,
				null, TTL, Duration.ZERO, Duration.ZERO, seen, false);
		assertThat(token(this.second.store.acquire(command).join())).isGreaterThan(seen);
	}

	/**
	 * The instance gives reserved tokens to its callers without asking the store. Here
	 * they are ahead of the clock, so that the clock alone cannot keep tokens apart.
	 */
	@Test
	void tokensThatAreReservedAreOfNoOtherRequest() {
		RequestId request = this.first.request();
		long token = token(this.first.acquireReserving(request, TTL, farToken()));
		this.first.release(request);
		RequestId next = this.second.request();
		long nextToken = token(this.second.acquireReserving(next, TTL, 0));
		assertThat(nextToken).isGreaterThan(token + RESERVED);
		this.second.release(next);
		assertThat(token(this.first.acquire(TTL))).isGreaterThan(nextToken + RESERVED);
	}

	@Test
	void tokensThatAreReservedByARepeatedRequestAreOfNoOtherRequest() {
		RequestId request = this.first.request();
		long token = token(this.first.acquireReserving(request, TTL, farToken()));
		long repeated = token(this.first.acquireReserving(request, TTL, 0));
		assertThat(repeated).isGreaterThan(token + RESERVED);
		this.first.release(request);
		assertThat(token(this.second.acquire(TTL))).isGreaterThan(repeated + RESERVED);
	}

	/** The callers that get these tokens may have come after the request got the lock. */
	@Test
	void tokensThatAreReservedByARepeatedRequestAreLaterThanItsFirst() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		long seen = farToken();
		long repeated = token(this.first.acquireReserving(request, TTL, seen));
		assertThat(repeated).isGreaterThan(seen);
		this.first.release(request);
		assertThat(token(this.second.acquire(TTL))).isGreaterThan(repeated + RESERVED);
	}

	private static long farToken() {
		return System.currentTimeMillis() * 1000 + TimeUnit.DAYS.toMicros(1);
	}

	@Test
	void renewWhenOwnerExtends() {
		RequestId request = this.first.request();
		this.first.acquire(request, SHORTER);
		assertThat(this.first.renew(request, TTL)).isTrue();
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void renewNeverShortens() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		assertThat(this.first.renew(request, SHORT)).isTrue();
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void renewWhenExpiredDoesNotResurrect() {
		RequestId request = this.first.takeBriefly(LockMode.EXCLUSIVE);
		awaitFree();
		assertThat(this.first.renew(request, TTL)).isFalse();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void renewWhenAnotherHoldsLeavesItAlone() {
		RequestId mine = this.first.request();
		this.first.acquire(mine, TTL);
		assertThat(this.second.renew(this.second.request(), Duration.ofHours(1))).isFalse();
		assertThat(this.second.remaining()).isLessThanOrEqualTo(TTL);
		assertThat(this.first.renew(mine, TTL)).isTrue();
	}

	@Test
	void extendSetsTheLeaseAnewLongerOrShorter() {
		RenewalMarks marks = RenewalMarks.NONE.with(1, 0);
		RequestId request = this.first.request();
		this.first.acquire(request, SHORTER);
		assertThat(extend(request, TTL, marks)).isEqualTo(Ownership.HELD);
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
		assertThat(extend(request, SHORTER, marks.with(2, 0))).isEqualTo(Ownership.HELD);
		assertShortened();
	}

	@Test
	void extendIsNotUndoneByWhatWasSentBeforeIt() {
		RenewalMarks marks = RenewalMarks.NONE.with(1, 0);
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		awaitTaken(this.key.encoded(), request);
		assertThat(extend(request, SHORTER, marks.with(2, 0))).isEqualTo(Ownership.HELD);
		assertThat(this.first.renew(request, TTL, marks)).isFalse();
		assertThat(extend(request, TTL, marks)).isEqualTo(Ownership.LOST);
		assertShortened();
	}

	private Ownership extend(RequestId request, Duration ttl, RenewalMarks marks) {
		return this.first.store.extend(new ExtendCommand(keys(), request, ttl, null, marks)).join();
	}

	@Test
	void renewOfManyAnswersInOrder() {
		List<RenewCommand> commands = new ArrayList<>();
		List<Ownership> expected = new ArrayList<>();
		for (int i = 0; i < 450; i++) {
			LockKey many = new LockKey("contract-many", this.key.key() + "-" + i);
			RequestId request = this.first.request();
			if (i % 3 != 0) {
				this.first.store.acquire(new AcquireCommand(many, request, TTL, Duration.ZERO, Duration.ZERO)).join();
			}
			commands.add(new RenewCommand(many, request, TTL));
			expected.add((i % 3 != 0) ? Ownership.HELD : Ownership.LOST);
		}
		assertThat(answers(this.first.store.renew(commands))).isEqualTo(expected);
	}

	@Test
	void releaseWhenOwnerFrees() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		assertThat(this.first.release(request)).isTrue();
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void releaseWhenRepeatedDoesNotTouchTheNextHolder() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.release(request);
		this.second.acquire(TTL);
		assertThat(this.first.release(request)).as("it was released, by itself").isTrue();
		assertThat(this.third.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void releaseWhenNothingWasEverLockedIsFalse() {
		assertThat(this.first.release(this.first.request())).isFalse();
	}

	/** The probe of {@link #awaitFree()} has had the lock after it. */
	@Test
	void releaseWhenExpiredIsFalse() {
		RequestId request = this.first.takeBriefly(LockMode.EXCLUSIVE);
		awaitFree();
		assertThat(this.first.release(request)).isFalse();
	}

	@Test
	void abandonWhenOwnerFrees() {
		RequestId request = this.first.request();
		this.first.acquire(request, TTL);
		this.first.abandon(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	@Test
	void abandonWhenAnotherHoldsLeavesItAlone() {
		this.first.acquire(TTL);
		this.second.abandon(this.second.request());
		assertThat(this.third.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void keepForOutlivesTheRelease() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORTER, TTL);
		this.first.release(request);
		assertThat(this.second.acquire(TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEmpty();
			assertThat(busy.remaining()).isPositive();
		});
	}

	/** The abandon may have been sent before the release. */
	@Test
	void keepForOutlivesTheReleaseAlsoWhenItIsAbandonedAfterIt() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORTER, TTL);
		this.first.release(request);
		this.first.abandon(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void keepForOutlivesTheReleaseAndTheAbandonAfterTheExpiry() {
		RequestId request = keepBriefly();
		awaitExpired(this.first, request);
		this.second.acquire(TTL);
		this.first.release(request);
		this.first.abandon(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void keepForOutlivesTheExpiry() {
		RequestId request = keepBriefly();
		awaitExpired(this.first, request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
	}

	@Test
	void keepForEnds() {
		Duration keepFor = SHORT.multipliedBy(2);
		within(keepFor, () -> {
			RequestId request = this.first.request();
			this.first.acquireKept(request, SHORTER, keepFor);
			this.first.release(request);
			assertThat(this.second.acquire(TTL)).isInstanceOf(Busy.class);
		});
		awaitFree();
	}

	@Test
	void keepForEndsWithTheAcquisitionThatIsAbandoned() {
		RequestId request = this.first.request();
		this.first.acquireKept(request, SHORTER, TTL);
		this.first.abandon(request);
		assertThat(this.second.acquire(TTL)).isInstanceOf(Granted.class);
	}

	private long briefToken() {
		return this.first.briefly((request) -> this.first.acquire(request, SHORT)).token();
	}

	/**
	 * Check that the lease ends within {@link #SHORTER}. A node of a quorum may get the
	 * change later than the majority does.
	 */
	final void assertShortened() {
		await().atMost(TTL.dividedBy(2))
			.untilAsserted(() -> assertThat(this.second.remaining()).isBetween(Duration.ofMillis(1), SHORTER));
	}

	/**
	 * Wait until a lease has expired. The nodes of a quorum may disagree for a moment,
	 * which is an exception.
	 */
	static void awaitExpired(Instance holder, RequestId request) {
		await().ignoreExceptionsInstanceOf(CompletionException.class)
			.until(() -> !holder.renew(request, Duration.ofMillis(1)));
	}

	private RequestId keepBriefly() {
		return this.first.briefly((request) -> this.first.acquireKept(request, SHORT, TTL)).request();
	}

	@Test
	void releaseWakesTheFirstWaiterOnly() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		this.second.acquireWaiting();
		this.second.settle();
		this.third.acquireWaiting();
		this.third.settle();
		this.first.release(request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.third.wakeUps).isEmpty();
	}

	@Test
	void releaseWakesTheNextWaiterAfterTheFirstGaveUp() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		RequestId gaveUp = this.second.acquireWaiting();
		this.second.settle();
		this.third.acquireWaiting();
		this.third.settle();
		this.second.abandon(gaveUp);
		this.first.release(request);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.second.wakeUps).isEmpty();
	}

	@Test
	void releaseWakesAWaiterByItsLaterIdentity() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		RequestId before = this.second.acquireWaiting();
		this.second.settle();
		this.second.abandon(before);
		this.second.changeIdentity();
		this.second.acquireWaiting();
		this.second.settle();
		this.first.release(request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void abandonOfTheHolderWakesAWaiter() {
		RequestId request = this.first.take(LockMode.EXCLUSIVE);
		this.second.acquireWaiting();
		this.second.settle();
		this.first.abandon(request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void locksOfDifferentKeysAreIndependent() {
		this.first.acquire(TTL);
		LockKey other = new LockKey("contract", this.key.key() + "x");
		AcquireCommand command = new AcquireCommand(other, this.second.request(), TTL, Duration.ZERO, Duration.ZERO);
		assertThat(this.second.store.acquire(command).join()).isInstanceOf(Granted.class);
	}

}
