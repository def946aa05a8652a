package io.distributedlock.test.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * Contract of every store for readers.
 */
public abstract class LockStoreReadContractTests extends LockStoreExtendContractTests {

	/** Longest time for which readers that do not come hold up the next writer. */
	static final Duration PHASE = Duration.ofSeconds(1);

	@Test
	void readersHoldTheLockTogetherWithOneToken() {
		long token = token(this.first.acquire(READ));
		assertReaderHas(token, this.second.acquire(READ));
		assertReaderHas(token, this.second.acquire(READ));
	}

	@Test
	void readTokenIsTheLastWritersAndTheNextWritersIsLarger() {
		RequestId writer = this.first.request();
		long token = token(this.first.acquire(writer, TTL));
		this.first.release(writer);
		RequestId reader = this.second.request();
		assertReaderHas(token, this.second.acquire(READ, reader, TTL, Duration.ZERO));
		this.second.release(reader);
		assertThat(token(this.first.acquire(EXCLUSIVE))).isGreaterThan(token);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void readWhenAnotherHoldsItAloneIsBusyWithHolderAndRemainingTime(LockMode mode) {
		this.first.take(mode);
		assertThat(this.second.acquire(READ)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEqualTo(this.first.name());
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(TTL);
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void lockThatIsReadIsBusyForWritersUntilTheLastReaderLeaves(LockMode mode) {
		RequestId one = this.first.take(READ, TTL.dividedBy(2));
		RequestId other = this.second.take(READ);
		assertThat(this.third.acquire(mode)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).as("whose lease ends last").isEqualTo(this.second.name());
			assertThat(busy.remaining()).isGreaterThan(TTL.dividedBy(2)).isLessThanOrEqualTo(TTL);
		});
		assertThat(this.second.release(other)).isTrue();
		assertThat(this.third.acquire(mode)).isInstanceOf(Busy.class);
		assertThat(this.first.release(one)).isTrue();
		assertThat(this.third.acquire(mode)).isInstanceOf(Granted.class);
	}

	@Test
	void readWhenKeptIsBusy() {
		RequestId writer = this.first.request();
		this.first.acquireKept(writer, TTL, TTL);
		this.first.release(writer);
		assertThat(this.second.acquire(READ)).isInstanceOf(Busy.class);
	}

	@Test
	void readWhenRepeatedKeepsTheTokenAndLengthensButNeverShortens() {
		RequestId reader = this.first.request();
		AcquireOutcome outcome = this.first.acquire(READ, reader, SHORTER, Duration.ZERO);
		assertThat(this.first.acquire(READ, reader, TTL, Duration.ZERO)).isEqualTo(outcome);
		assertThat(this.first.acquire(READ, reader, SHORT, Duration.ZERO)).isEqualTo(outcome);
		assertThat(this.second.remaining()).isGreaterThan(Duration.ofSeconds(10));
		this.first.release(reader);
		assertThat(this.second.remaining()).isZero();
	}

	@Test
	void readWhenReleasedBeforeIsRefusedAlsoAfterManyOthers() {
		RequestId reader = this.first.take(READ);
		this.first.release(reader);
		List<RequestId> others = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			others.add(this.second.take(READ));
		}
		others.forEach(this.second::release);
		assertThat(this.first.acquire(READ, reader, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(this.first.release(reader)).as("it was released, by itself").isTrue();
	}

	@Test
	void readWhenAbandonedBeforeItArrivesIsRefused() {
		RequestId reader = this.first.request();
		this.first.abandon(reader);
		assertThat(this.first.acquire(READ, reader, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(this.second.acquire(EXCLUSIVE)).isInstanceOf(Granted.class);
	}

	@Test
	void readWhenExpiredIsRefusedAndNeitherRenewedNorReleased() {
		RequestId reader = this.first.takeBriefly(READ);
		awaitFree();
		assertThat(this.first.renew(reader, TTL)).isFalse();
		assertThat(this.first.release(reader)).isFalse();
		assertThat(this.first.acquire(READ, reader, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(this.second.acquire(EXCLUSIVE)).isInstanceOf(Granted.class);
	}

	@Test
	void readWhenExpiredAndFollowedByAnotherIsRefused() {
		RequestId reader = this.first.takeBriefly(READ);
		awaitFree();
		RequestId writer = this.second.request();
		// A node that was late may be busy still, and does not get it any more.
		assertThat(this.second.acquire(EXCLUSIVE, writer, TTL, Duration.ZERO)).isInstanceOf(Granted.class);
		this.second.release(writer);
		assertThat(this.first.acquire(READ, reader, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(this.first.release(reader)).isFalse();
	}

	@Test
	void renewOfOneReaderExtendsItAloneAndNeverShortens() {
		RequestId one = this.first.take(READ, SHORTER);
		RequestId other = this.second.take(READ, LEASE);
		assertThat(this.first.renew(one, TTL)).isTrue();
		assertThat(this.first.renew(one, LEASE)).isTrue();
		awaitExpired(this.second, other);
		assertThat(this.third.remaining()).isGreaterThan(Duration.ofSeconds(10));
		this.first.release(one);
		assertThat(this.third.remaining()).isZero();
	}

	@Test
	void releaseOfAReaderThatNeverWasLeavesTheOthersAlone() {
		this.first.take(READ);
		assertThat(this.second.release(this.second.request())).isFalse();
		this.second.abandon(this.second.request());
		assertThat(this.third.acquire(EXCLUSIVE)).isInstanceOf(Busy.class);
	}

	@Test
	void abandonOfAReaderFreesItsPartOnly() {
		RequestId one = this.first.take(READ);
		RequestId other = this.second.take(READ);
		this.first.abandon(one);
		assertThat(this.third.acquire(EXCLUSIVE)).isInstanceOf(Busy.class);
		assertThat(this.first.acquire(READ, one, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		this.second.abandon(other);
		assertThat(this.third.acquire(EXCLUSIVE)).isInstanceOf(Granted.class);
	}

	@Test
	void deadReaderBlocksWritersNoLongerThanItsLease() {
		this.first.takeBriefly(READ);
		RequestId alive = this.second.take(READ);
		this.second.release(alive);
		awaitFree();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void readersDoNotOvertakeAWaitingWriterWhoIsWokenByTheLastOfThem(LockMode mode) {
		RequestId one = this.first.take(READ);
		RequestId other = this.first.take(READ);
		RequestId writer = this.second.waitFor(mode);
		assertThat(this.third.acquire(READ)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(WAITING));
		this.first.release(one);
		assertThat(this.second.wakeUps).isEmpty();
		this.first.release(other);
		assertThat(this.second.awaitWakeUp()).startsWith(this.key.encoded());
		assertThat(this.third.acquire(READ)).as("not even now").isInstanceOf(Busy.class);
		this.second.come(mode, writer);
	}

	@Test
	void readersDoNotOvertakeAWaitingWriterWhoIsWokenByTheOneBefore() {
		RequestId before = this.first.take(EXCLUSIVE);
		RequestId writer = this.second.waitFor(EXCLUSIVE);
		this.first.release(before);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		assertThat(this.third.acquire(READ)).as("not even now").isInstanceOf(Busy.class);
		this.second.come(EXCLUSIVE, writer);
		this.second.release(writer);
		assertThat(this.third.acquire(READ)).isInstanceOf(Granted.class);
	}

	@Test
	void writerWhoseEntryHasExpiredDoesNotBlockReaders() {
		this.first.take(READ);
		this.second.waitFor(EXCLUSIVE, SHORT);
		await().until(() -> this.third.acquire(READ) instanceof Granted);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR" })
	void readersThatWaitedComeBeforeTheNextWriterAndLaterOnesAfterIt(LockMode mode) {
		within(PHASE, () -> {
			RequestId writer = this.first.take(mode);
			RequestId next = this.third.waitFor(mode);
			RequestId reader = this.second.waitFor(READ);
			RequestId reader2 = this.second.waitFor(READ);
			this.first.release(writer);
			assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
			this.third.waitAgain(mode, next, WAITING);
			this.second.come(READ, reader);
			RequestId late = this.first.waitFor(READ);
			this.third.waitAgain(mode, next, WAITING);
			this.second.come(READ, reader2);
			this.second.release(reader);
			assertThat(this.third.wakeUps).isEmpty();
			this.second.release(reader2);
			assertThat(this.third.awaitWakeUp()).startsWith(this.key.encoded());
			this.first.waitAgain(READ, late, WAITING);
			this.third.come(mode, next);
			assertNoMore(this.second.wakeUps);
			this.third.release(next);
			assertThat(this.first.awaitWakeUp()).isEqualTo(this.key.encoded());
			this.first.come(READ, late);
		});
	}

	@Test
	void readerThatDoesNotComeHoldsTheNextWriterUpForAMoment() {
		within(PHASE, () -> {
			RequestId writer = this.first.take(EXCLUSIVE);
			RequestId next = this.third.waitFor(EXCLUSIVE);
			this.second.waitFor(READ);
			this.first.release(writer);
			assertThat(this.third.acquire(EXCLUSIVE, next, TTL, WAITING)).isInstanceOfSatisfying(Busy.class,
					(busy) -> assertThat(busy.remaining()).isLessThanOrEqualTo(PHASE));
			await().pollInterval(Duration.ofMillis(20))
				.until(() -> this.third.acquire(EXCLUSIVE, next, TTL, WAITING) instanceof Granted);
		});
	}

	@Test
	void readerThatIsAbandonedInsteadOfComingLetsTheNextWriterIn() {
		RequestId writer = this.first.take(EXCLUSIVE);
		RequestId next = this.third.waitFor(EXCLUSIVE);
		RequestId reader = this.second.waitFor(READ);
		this.first.release(writer);
		this.second.abandon(reader);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
		this.third.come(EXCLUSIVE, next);
	}

	@Test
	void readersThatWaitedForAnExpiredWriterComeBeforeTheNextWriter() {
		this.second.requireWakeUps();
		within(PHASE, () -> {
			this.first.take(EXCLUSIVE, LEASE);
			RequestId reader = this.second.waitFor(READ);
			RequestId next = this.third.waitFor(EXCLUSIVE);
			await().until(() -> {
				this.third.waitAgain(EXCLUSIVE, next, WAITING);
				return !this.second.wakeUps.isEmpty();
			});
			this.second.come(READ, reader);
			this.second.release(reader);
			assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
			this.third.come(EXCLUSIVE, next);
		});
	}

	@Test
	void readersAfterANoticedExpiryDoNotOvertakeTheNextWriter() {
		RequestId writer = this.first.take(EXCLUSIVE);
		RequestId own = this.first.request();
		assertThat(beside(own, writer)).isInstanceOf(Granted.class);
		awaitTaken(this.key.encoded(), own);
		RequestId next = this.third.waitFor(EXCLUSIVE);
		// Not before all that is needed is there: it runs out wherever this stands still.
		RenewalMarks marks = RenewalMarks.NONE.with(1, 0);
		assertThat(this.first.store.extend(new ExtendCommand(keys(), writer, LEASE, null, marks)).join())
			.isEqualTo(Ownership.HELD);
		await().until(() -> this.third.acquire(EXCLUSIVE, next, TTL, WAITING) instanceof Busy busy
				&& busy.remaining().compareTo(LEASE) > 0 && isExpiryNoticed(this.key.encoded()));
		RequestId reader = this.second.request();
		assertDoesNotGet(reader);
		this.third.waitAgain(EXCLUSIVE, next, WAITING);
		assertDoesNotGet(reader);
		assertThat(this.first.store.release(new ReleaseCommand(keys(), writer, marks)).join())
			.isEqualTo(Ownership.HELD);
		awaitReleased(this.key.encoded(), writer);
		assertDoesNotGet(reader);
	}

	/**
	 * Return whether all nodes have noticed that the lease of the last owner ran out.
	 * True by default: a store on one server has noticed it when it answers. A node that
	 * has not takes a new reader for one that waited for that owner, and lets it in
	 * before the next writer.
	 * @param encodedKey the encoded key
	 * @return {@code true} if all nodes have noticed it
	 */
	protected boolean isExpiryNoticed(String encodedKey) {
		return true;
	}

	/**
	 * Check that a reader does not get the lock. A quorum with a late node may refuse it
	 * instead of answering busy.
	 */
	private void assertDoesNotGet(RequestId reader) {
		assertThat(this.second.acquire(READ, reader, TTL, WAITING)).isNotInstanceOf(Granted.class);
	}

	@Test
	void readersBehindAWriterThatGivesUpAreWoken() {
		this.first.take(READ);
		RequestId writer = this.second.waitFor(EXCLUSIVE);
		RequestId reader = this.third.waitFor(READ);
		this.second.abandon(writer);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
		this.third.come(READ, reader);
	}

	@Test
	void ownersOwnReaderIsLetInBesideItAndStaysWhenTheOwnerGoes() {
		RequestId writer = this.first.request();
		long token = token(this.first.acquire(writer, TTL));
		awaitTaken(this.key.encoded(), writer);
		this.second.waitFor(EXCLUSIVE);
		RequestId reader = this.first.request();
		assertReaderHas(token, beside(reader, writer));
		assertThat(this.third.acquire(READ)).isInstanceOf(Busy.class);
		assertThat(this.first.release(writer)).isTrue();
		assertThat(this.third.acquire(EXCLUSIVE)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.holder()).isEqualTo(this.first.name()));
		assertThat(this.second.wakeUps).isEmpty();
		assertThat(this.first.renew(reader, TTL)).isTrue();
		this.first.release(reader);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void ownersOwnReaderMayGoFirst() {
		RequestId writer = this.first.take(EXCLUSIVE);
		RequestId reader = this.first.request();
		beside(reader, writer);
		this.second.waitFor(EXCLUSIVE);
		assertThat(this.first.release(reader)).isTrue();
		assertThat(this.third.acquire(READ)).isInstanceOf(Busy.class);
		assertThat(this.second.wakeUps).isEmpty();
		assertThat(this.first.release(writer)).isTrue();
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void readersThatWaitedJoinTheReaderThatTheOwnerLeft() {
		RequestId writer = this.first.take(EXCLUSIVE);
		RequestId own = this.first.request();
		beside(own, writer);
		RequestId reader = this.second.waitFor(READ);
		this.first.release(writer);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		this.second.come(READ, reader);
	}

	@Test
	void readBesideOneThatDoesNotHoldItIsBusy() {
		RequestId before = this.first.take(EXCLUSIVE);
		this.first.release(before);
		this.second.take(EXCLUSIVE);
		assertThat(beside(this.first.request(), before)).isInstanceOf(Busy.class);
	}

	@Test
	void readerThatDoesNotWaitLeavesNoWaiterEntry() {
		RequestId writer = this.first.take(EXCLUSIVE);
		assertThat(this.second.acquire(READ)).isInstanceOf(Busy.class);
		this.first.release(writer);
		assertThat(this.third.acquire(EXCLUSIVE)).isInstanceOf(Granted.class);
	}

	private AcquireOutcome beside(RequestId reader, RequestId writer) {
		return this.first.acquire(new AcquireCommand(List.of(this.key), reader, READ, 0, writer, TTL, Duration.ZERO,
				Duration.ZERO, 0, false));
	}

}
