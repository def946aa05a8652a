package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock that too few replicas have confirmed is abandoned before its caller is notified,
 * and then requested anew.
 */
class AttemptReplicaMissTests {

	private static final LockRequest ONCE = LockRequest.of("k").waitFor(Duration.ZERO);

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	private final ScriptedStore store = this.here.store;

	private static LockRequest waiting(Duration budget) {
		return LockRequest.of("k").waitFor(budget);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void callerThatTriesOnceIsToldWhenTheLockIsFreeAgain(LockMode mode) {
		ScriptedStore.Held abandon = this.store.hold(Command.ABANDON);
		this.store.miss();
		LockRequest request = (mode == LockMode.SEMAPHORE) ? ONCE.permits(1) : ONCE.mode(mode);
		CompletableFuture<Lease> once = this.here.acquire(request);
		assertThat(abandon.isSent()).isTrue();
		assertThat(once).isNotDone();
		abandon.answer();
		assertMissed(once);
		assertThat(this.there.acquire(ONCE)).isCompleted();
		assertThat(this.store.sent(Command.ABANDON)).isOne();
		assertNothingLeft();
	}

	/** The lock stayed with the first instance, and others found it busy. */
	@Test
	void anotherInstanceGetsTheLockWhileTheCallerWaits() {
		this.store.missAll();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		assertThat(this.store.isLocked("k")).isFalse();
		Lease elsewhere = this.there.acquire(ONCE).join();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(elsewhere.isHeld()).isTrue();
		assertThat(waiting).isNotDone();
		waiting.cancel(true);
	}

	/** A request that was ended is refused, and its end may come late. */
	@Test
	void nextAttemptIsAnotherRequestAndGetsTheLock() {
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		assertThat(waiting).isNotDone();
		this.here.advance(Duration.ofMillis(25));
		assertThat(waiting).isCompleted();
		assertThat(this.store.asked()).extracting(AcquireCommand::request).doesNotHaveDuplicates().hasSize(2);
		assertThat(waiting.join().isHeld()).isTrue();
		assertThat(this.store.sent(Command.ABANDON)).isOne();
	}

	@Test
	void pausesBetweenMissesGrow() {
		this.store.missAll();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		this.here.advance(Duration.ofMillis(25 + 50 + 100 + 200 + 400 - 1));
		assertThat(this.store.sent(Command.ACQUIRE)).isEqualTo(5);
		this.here.advance(Duration.ofMillis(1));
		assertThat(this.store.sent(Command.ACQUIRE)).isEqualTo(6);
		waiting.cancel(true);
	}

	@Test
	void nothingIsAskedBeforeTheLockIsFreeAgain() {
		ScriptedStore.Held abandon = this.store.hold(Command.ABANDON);
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		this.store.wakeUp("k");
		this.here.advance(Duration.ofMillis(999));
		assertThat(this.store.sent(Command.ACQUIRE)).isOne();
		abandon.answer();
		this.here.advance(Duration.ofMillis(25));
		assertThat(waiting).isCompleted();
	}

	@Test
	void attemptIsMadeAnewWhenTheEndOfTheLastOneGoesUnanswered() {
		this.store.hold(Command.ABANDON);
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		CompletableFuture<Lease> second = this.here.acquire(waiting(Duration.ofSeconds(10)));
		this.here.advance(Duration.ofSeconds(3));
		assertThat(waiting).isCompleted();
		waiting.join().close();
		this.here.runDue();
		assertThat(second).isCompleted();
	}

	/** It could last for two commands, each of which went unanswered. */
	@Test
	void callerThatTriesOnceIsToldWhenTheEndHasNoAnswerInTime() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		this.store.hold(Command.ABANDON);
		CompletableFuture<Lease> once = this.here.acquire(ONCE);
		this.here.advance(Duration.ofMillis(600));
		attempt.miss();
		this.here.advance(Duration.ofMillis(399));
		assertThat(once).isNotDone();
		this.here.advance(Duration.ofMillis(1));
		assertMissed(once);
		this.here.advance(Duration.ofSeconds(3));
		assertNothingLeft();
	}

	@Test
	void budgetThatEndsDuringTheAbandonIsAReplicaMiss() {
		this.store.hold(Command.ABANDON);
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofMillis(100)));
		this.here.advance(Duration.ofMillis(100));
		assertMissed(waiting);
		this.here.advance(Duration.ofSeconds(3));
		assertThat(this.store.isLocked("k")).isFalse();
		assertNothingLeft();
	}

	@Test
	void callerThatGivesUpDuringTheAbandonLeavesNothing() {
		ScriptedStore.Held abandon = this.store.hold(Command.ABANDON);
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		waiting.cancel(true);
		abandon.answer();
		this.here.advance(Duration.ofSeconds(3));
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(this.store.sent(Command.ACQUIRE)).isOne();
		assertNothingLeft();
	}

	@Test
	void waiterBehindACallerThatTriesOnceTakesOver() {
		ScriptedStore.Held abandon = this.store.hold(Command.ABANDON);
		this.store.miss();
		CompletableFuture<Lease> once = this.here.acquire(ONCE);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		abandon.answer();
		assertMissed(once);
		this.here.runDue();
		assertThat(waiting).isCompleted();
	}

	@Test
	void missIsToldThoughLaterAttemptsFailOtherwise() {
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		this.store.failAll(Command.ACQUIRE, Kind.UNAVAILABLE);
		this.here.advance(Duration.ofSeconds(10));
		assertMissed(waiting);
	}

	/** Another request without enough replicas has the lock for a moment. */
	@Test
	void missIsToldThoughTheLockIsBusyInTheEnd() {
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofMillis(1500)));
		Lease elsewhere = this.there.acquire(ONCE).join();
		this.here.advance(Duration.ofMillis(1500));
		assertMissed(waiting);
		elsewhere.close();
	}

	@Test
	void lockThatIsBusyForLongIsBusyThoughItWasMissedBefore() {
		this.store.miss();
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(5)));
		Lease elsewhere = this.there.acquire(ONCE).join();
		this.here.advance(Duration.ofSeconds(5));
		assertThat(ManualInstance.failure(waiting)).isInstanceOf(LockNotAcquiredException.class);
		elsewhere.close();
	}

	/** The request is in use again, so its miss must not end it. */
	@Test
	void missOfATimedOutAttemptAbandonsNothing() {
		ScriptedStore.Held slow = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = this.here.acquire(waiting(Duration.ofSeconds(10)));
		this.here.advance(Duration.ofSeconds(2));
		RequestId request = this.store.asked().get(0).request();
		assertThat(this.store.asked().get(1).request()).isEqualTo(request);
		assertThat(waiting).isCompleted();
		slow.miss();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(waiting.join().isHeld()).isTrue();
		assertThat(this.store.isLocked("k")).isTrue();
		assertThat(this.store.sent(Command.ABANDON)).isZero();
	}

	@Test
	void setOfWhichTheSecondIsMissedKeepsNoneInTheEnd() {
		this.store.pass(Command.ACQUIRE);
		this.store.missAll();
		CompletableFuture<Lease> both = this.here.acquire(LockRequest.ofAll("a", "b").waitFor(Duration.ofSeconds(1)));
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.store.isLocked("a")).isTrue();
		assertThat(this.store.isLocked("b")).isFalse();
		this.here.advance(Duration.ofSeconds(2));
		assertMissed(both);
		assertThat(this.store.isLocked("a")).isFalse();
		assertNothingLeft();
	}

	private static void assertMissed(CompletableFuture<Lease> future) {
		assertThat(ManualInstance.failure(future)).isInstanceOf(ReplicasNotAcknowledgedException.class)
			.hasMessageContaining("0 of 1 replicas");
	}

	private void assertNothingLeft() {
		assertThat(this.here.engine.instance.heldCount()).isZero();
		assertThat(this.here.engine.queues.index.size()).isZero();
		assertThat(this.here.engine.instance.backgroundCount()).isZero();
		assertThat(this.here.engine.instance.timers.size()).isZero();
	}

}
