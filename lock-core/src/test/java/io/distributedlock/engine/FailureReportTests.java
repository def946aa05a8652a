package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.store.AcquireOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Reports distinguish a busy lock from an unavailable store.
 */
class FailureReportTests {

	private static final LockRequest REQUEST = LockRequest.of("k");

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	private final ScriptedStore store = this.here.store;

	@Test
	void attemptWhenTheStoreReturnsNullSaysUnavailable() {
		this.store.returnNull(Command.ACQUIRE);
		assertThat(ManualInstance.failure(this.here.acquire(REQUEST.waitFor(Duration.ZERO))))
			.isInstanceOf(LockStoreException.class)
			.hasMessageContaining("returned null");
	}

	/**
	 * Waiters behind a lock that changed hands in this instance failed with an outage.
	 */
	@Test
	void budgetsUsedUpWhileALockChangesHandsSayBusy() {
		Lease held = this.here.acquire(REQUEST).join();
		CompletableFuture<Lease> first = this.here.acquire(waiting(100));
		CompletableFuture<Lease> second = this.here.acquire(waiting(100));
		this.here.advance(Duration.ofMillis(99));
		// The second caller does not go on with the request of the first one.
		this.store.hold(Command.ACQUIRE);
		this.store.hold(Command.ACQUIRE);
		held.close();
		this.here.advance(Duration.ofMillis(2));
		assertBusy(first);
		assertBusy(second);
	}

	/**
	 * Busy answers were forgotten when the first waiter left for one with another ttl.
	 */
	@Test
	void budgetUsedUpAfterAnotherWaiterGotABusyAnswerSaysBusy() {
		this.there.acquire(REQUEST);
		CompletableFuture<Lease> first = this.here.acquire(waiting(50));
		CompletableFuture<Lease> second = this.here.acquire(waiting(60).ttl(Duration.ofSeconds(7)));
		this.here.advance(Duration.ofMillis(49));
		this.store.hold(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(2));
		assertBusy(first);
		assertThat(second).isNotDone();
		this.here.advance(Duration.ofMillis(10));
		assertBusy(second);
	}

	/**
	 * A wait shorter than a round trip, behind a busy lock, must not look like an outage.
	 */
	@Test
	void budgetUsedUpDuringALaterAttemptSaysBusy() {
		this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(1001));
		this.store.hold(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(1000));
		this.here.advance(Duration.ofMillis(2));
		assertBusy(waiting);
	}

	/** The second key was asked for without a budget, and its silence was an outage. */
	@Test
	void budgetUsedUpByTheFirstKeySaysBusyForTheSecond() {
		ScriptedStore.Held first = this.store.hold(Command.ACQUIRE);
		ScriptedStore.Held second = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> both = this.here.acquire(LockRequest.ofAll("a", "b").waitFor(Duration.ofMillis(100)));
		this.here.clock.advance(Duration.ofMillis(100));
		first.answer();
		this.here.advance(Duration.ofMillis(1));
		if (second.isSent()) {
			second.answer();
		}
		assertBusy(both);
		assertThat(this.store.isLocked("a")).isFalse();
		assertThat(this.store.isLocked("b")).isFalse();
	}

	/** A second attempt was made, which had all its time again. */
	@Test
	void singleTryWhoseRequestHasEndedSaysUnavailableAndMakesNoOther() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> once = this.here.acquire(REQUEST.waitFor(Duration.ZERO));
		this.here.advance(Duration.ofMillis(600));
		attempt.answer(AcquireOutcome.Refused.INSTANCE);
		assertStoreFailure(once, Kind.UNAVAILABLE);
		assertThat(this.store.sent(Command.ACQUIRE)).isOne();
		assertThat(this.here.engine.queues.index.size()).isZero();
	}

	/** The message named neither the time nor a remedy. */
	@Test
	void singleTryThatIsNotAnsweredSaysWithinWhatTime() {
		this.store.silence(Command.ACQUIRE);
		CompletableFuture<Lease> once = this.here.acquire(REQUEST.waitFor(Duration.ZERO));
		long patience = this.store.commandTimeout().toMillis();
		this.here.advance(Duration.ofMillis(patience + 1));
		assertStoreFailure(once, Kind.UNAVAILABLE);
		assertThatThrownBy(once::join).hasMessageContaining(
				"Cannot acquire lock 'k': no answer within " + patience + " ms. Is the store reachable?");
	}

	/** The first key was entered again, and that was taken for an answer of the store. */
	@Test
	void budgetUsedUpByASilentStoreAfterAnOwnKeySaysUnavailable() {
		LockRequest both = LockRequest.ofAll("a", "b").ownedBy("owner").waitFor(Duration.ofMillis(300));
		this.here.acquire(LockRequest.of("a").ownedBy("owner")).join();
		this.here.advance(Duration.ofSeconds(1));
		this.store.silence(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.here.acquire(both);
		this.here.advance(Duration.ofMillis(301));
		assertStoreFailure(waiting, Kind.UNAVAILABLE);
	}

	@Test
	void callerThatBlocksAfterAKeyThatItsOwnerHasIsToldOfTheOutage() {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(this.store)) {
			Lease a = registry.acquire(LockRequest.of("a").ownedBy("owner"));
			this.store.silence(Command.ACQUIRE);
			LockRequest both = LockRequest.ofAll("a", "b").ownedBy("owner").waitFor(Duration.ofMillis(30));
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> registry.acquire(both));
			this.store.heal();
			a.close();
		}
	}

	@Test
	void budgetUsedUpByASilentStoreSaysUnavailable() {
		this.store.silence(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(300));
		CompletableFuture<Lease> behind = this.here.acquire(waiting(300));
		this.here.advance(Duration.ofMillis(301));
		assertStoreFailure(waiting, Kind.UNAVAILABLE);
		assertStoreFailure(behind, Kind.UNAVAILABLE);
	}

	@Test
	void budgetUsedUpAfterTheLastAttemptFailedSaysUnavailable() {
		this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(1500));
		this.store.failAll(Command.ACQUIRE, Kind.UNAVAILABLE);
		this.here.advance(Duration.ofMillis(1501));
		assertStoreFailure(waiting, Kind.UNAVAILABLE);
	}

	/** The request of the later caller was new, and not answered yet. */
	@Test
	void budgetUsedUpJustAfterThatOfAnotherInAnOutageSaysUnavailable() {
		this.there.acquire(REQUEST);
		this.here.acquire(waiting(5000));
		CompletableFuture<Lease> second = this.here.acquire(waiting(5010).ttl(Duration.ofSeconds(7)));
		this.here.advance(Duration.ofMillis(100));
		this.store.silence(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(5000));
		assertStoreFailure(second, Kind.UNAVAILABLE);
	}

	/** The lock had changed hands here before, and that counted as an answer. */
	@Test
	void budgetUsedUpAfterAReleaseFailedInAnOutageSaysUnavailable() {
		Lease before = this.there.acquire(REQUEST).join();
		CompletableFuture<Lease> first = this.here.acquire(waiting(5000));
		CompletableFuture<Lease> second = this.here.acquire(waiting(2500));
		this.here.advance(Duration.ofMillis(500));
		before.release();
		this.here.advance(Duration.ofMillis(900));
		this.store.silence(Command.RELEASE);
		this.store.silence(Command.ACQUIRE);
		first.join().release();
		this.here.advance(Duration.ofMillis(1101));
		assertStoreFailure(second, Kind.UNAVAILABLE);
	}

	/** A release is an answer, but the store refuses further permits. */
	@Test
	void budgetUsedUpForAPermitAfterOneWasReleasedSaysUnavailable() {
		LockRequest permit = REQUEST.permits(2);
		Lease released = this.here.acquire(permit).join();
		this.there.acquire(permit);
		CompletableFuture<Lease> waiting = this.here.acquire(permit.waitFor(Duration.ofMillis(1500)));
		this.store.failAll(Command.ACQUIRE, Kind.UNAVAILABLE);
		this.here.advance(Duration.ofMillis(1400));
		this.store.silence(Command.ACQUIRE);
		released.release();
		this.here.advance(Duration.ofMillis(101));
		assertStoreFailure(waiting, Kind.UNAVAILABLE);
	}

	/** An outage that is over must not make a busy lock look like one. */
	@Test
	void budgetUsedUpAfterTheEndOfAnOutageSaysBusy() {
		this.there.acquire(REQUEST.ttl(Duration.ofMinutes(1)));
		this.here.acquire(waiting(3000));
		CompletableFuture<Lease> second = this.here.acquire(waiting(10_000));
		this.store.failAll(Command.ACQUIRE, Kind.UNAVAILABLE);
		this.here.advance(Duration.ofMillis(3001));
		this.store.heal();
		this.here.advance(Duration.ofMillis(7000));
		assertBusy(second);
	}

	/** While others waited for a dead store, callers without budget failed as busy. */
	@Test
	void callerWithoutBudgetWhenOthersWaitForADeadStoreIsToldOutage() {
		this.store.failAll(Command.ACQUIRE, Kind.UNAVAILABLE);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(60_000));
		this.here.advance(Duration.ofSeconds(2));
		CompletableFuture<Lease> once = this.here.acquire(waiting(0));
		this.here.advance(Duration.ofSeconds(2));
		assertStoreFailure(once, Kind.UNAVAILABLE);
		assertThat(waiting).isNotDone();
	}

	/** Nothing was known of the lock, and the caller failed as busy. */
	@Test
	void callerWithoutBudgetBehindAnUnansweredAttemptIsToldOutage() {
		this.store.silence(Command.ACQUIRE);
		this.here.acquire(waiting(60_000));
		CompletableFuture<Lease> once = this.here.acquire(waiting(0));
		CompletableFuture<Lease> second = this.here.acquire(waiting(0));
		this.here.advance(this.store.commandTimeout());
		assertStoreFailure(once, Kind.UNAVAILABLE);
		assertStoreFailure(second, Kind.UNAVAILABLE);
	}

	/** The first attempt may be that of a caller without budget, too. */
	@Test
	void queuedCallersWithoutBudgetAllReportTheOutage() {
		this.store.silence(Command.ACQUIRE);
		List<CompletableFuture<Lease>> all = Stream.generate(() -> this.here.acquire(waiting(0))).limit(4).toList();
		this.here.advance(this.store.commandTimeout());
		all.forEach((once) -> assertStoreFailure(once, Kind.UNAVAILABLE));
		assertThat(this.store.sent(Command.ACQUIRE)).isOne();
		assertThat(this.here.engine.queues.index.size()).isZero();
	}

	@Test
	void callerWithoutBudgetBehindAFirstAttemptIsToldBusyAtOnce() {
		this.there.acquire(REQUEST);
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(60_000));
		CompletableFuture<Lease> once = this.here.acquire(waiting(0));
		assertThat(once).isNotDone();
		attempt.answer();
		assertBusy(once);
		assertThat(waiting).isNotDone();
	}

	@Test
	void callerWithoutBudgetBehindAGrantedAttemptIsToldBusy() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> first = this.here.acquire(waiting(60_000));
		CompletableFuture<Lease> once = this.here.acquire(waiting(0));
		attempt.answer();
		assertThat(first.join().isHeld()).isTrue();
		assertBusy(once);
	}

	@Test
	void callerWithoutBudgetWhoseLeaderGivesUpIsStillToldWhatIsKnown() {
		this.store.silence(Command.ACQUIRE);
		CompletableFuture<Lease> first = this.here.acquire(waiting(300));
		CompletableFuture<Lease> once = this.here.acquire(waiting(0));
		this.here.advance(Duration.ofMillis(301));
		assertStoreFailure(first, Kind.UNAVAILABLE);
		this.here.advance(this.store.commandTimeout().minusMillis(301));
		assertStoreFailure(once, Kind.UNAVAILABLE);
		assertThat(this.here.engine.queues.index.size()).isZero();
	}

	@Test
	void callerWithoutBudgetWhenOthersWaitForABusyLockIsToldSo() {
		this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(60_000));
		assertBusy(this.here.acquire(waiting(0)));
		assertThat(waiting).isNotDone();
	}

	/** Only the first waiter failed at once, the others one by one after their pauses. */
	@Test
	void waitersWhenTheStoreIsMisconfiguredFailTogether() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		this.store.failAll(Command.ACQUIRE, Kind.MISCONFIGURED);
		List<CompletableFuture<Lease>> all = Stream.generate(() -> this.here.acquire(waiting(5000))).limit(5).toList();
		attempt.fail(Kind.MISCONFIGURED);
		this.here.runDue();
		all.forEach((one) -> assertStoreFailure(one, Kind.MISCONFIGURED));
		assertThat(this.here.engine.queues.index.size()).isZero();
	}

	/** An error thrown by the store left its waiters hanging. */
	@Test
	void errorOfTheStoreDuringAnAttemptIsAFailedAttempt() {
		this.store.raise(Command.ACQUIRE, new StackOverflowError("thrown by the store"));
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(1000));
		this.here.advance(Duration.ofMillis(500));
		assertThat(waiting).isCompleted();
		waiting.join().close();
		this.store.raise(Command.ACQUIRE, new StackOverflowError("thrown by the store"));
		assertStoreFailure(this.here.acquire(waiting(0)), Kind.UNAVAILABLE);
		assertThat(this.here.acquire(waiting(0)).join().isHeld()).isTrue();
	}

	/** An error thrown by the store left the key taken in this instance for ever. */
	@Test
	void errorOfTheStoreDuringAReleaseIsAFailedRelease() {
		Lease lease = this.here.acquire(REQUEST).join();
		this.store.raise(Command.RELEASE, new StackOverflowError("thrown by the store"));
		lease.close();
		CompletableFuture<Lease> next = this.here.acquire(waiting(5000));
		this.here.advance(Duration.ofSeconds(1));
		assertThat(next).isCompleted();
		assertThat(next.join().isHeld()).isTrue();
		assertThat(this.here.engine.instance.backgroundCount()).isZero();
	}

	/** A stale time-out of an attempt failed the attempt that had followed it. */
	@Test
	void timeOutOfAnAttemptThatWasAnsweredDoesNotFailTheNextOne() throws Exception {
		ScriptedStore.Held refused = this.store.hold(Command.ACQUIRE);
		ScriptedStore.Held fresh = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(60_000));
		this.here.clock.advance(this.store.commandTimeout());
		Thread[] loop = new Thread[1];
		this.here.clock.onReading(1, () -> loop[0] = ManualInstance.startUntilStuck(this.here::runDue));
		refused.answer(AcquireOutcome.Refused.INSTANCE);
		ManualInstance.join(loop[0]);
		assertThat(fresh.isSent()).isTrue();
		fresh.answer();
		assertThat(waiting).isCompleted();
		assertThat(waiting.join().isHeld()).isTrue();
	}

	private static LockRequest waiting(long millis) {
		return REQUEST.waitFor(Duration.ofMillis(millis));
	}

	private static void assertBusy(CompletableFuture<Lease> future) {
		assertThat(ManualInstance.failure(future)).isInstanceOf(LockNotAcquiredException.class);
	}

	private static void assertStoreFailure(CompletableFuture<Lease> future, Kind kind) {
		assertThat(ManualInstance.failure(future)).isInstanceOfSatisfying(LockStoreException.class,
				(ex) -> assertThat(ex.getKind()).isEqualTo(kind));
	}

}
