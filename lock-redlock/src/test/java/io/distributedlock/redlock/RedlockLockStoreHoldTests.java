package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.redlock.VirtualNode.State;
import io.distributedlock.redlock.VirtualQuorum.Instance;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Renewal, release and expiry of a lock that a quorum holds. */
class RedlockLockStoreHoldTests {

	private final VirtualQuorum quorum = new VirtualQuorum(3);

	private final Instance here = this.quorum.instance();

	private final Instance there = this.quorum.instance();

	private final RequestId request = this.here.request();

	private final long token = ((Granted) this.here.acquire(this.request).join()).token();

	/** Bug 45 of the list: one node's error released the lock that the quorum held. */
	@Test
	void renewWhenOneNodeIsDownIsRenewedAndStaysHeld() {
		this.quorum.node(1).state = State.DOWN;
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	@Test
	void renewWhenOneNodeIsFrozenIsRenewedAtOnce() {
		this.quorum.node(1).state = State.FROZEN;
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
	}

	/** A connection that the network had forgotten was never replaced. */
	@Test
	void commandsWithoutAnAnswerAreWithdrawnAfterTheDecision() {
		this.quorum.node(1).state = State.FROZEN;
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.HELD);
		RequestId next = this.here.request();
		assertThat(this.here.acquire(next)).isCompletedWithValueMatching(Granted.class::isInstance);
		CompletableFuture<Void> abandoned = this.here.abandon(next);
		this.quorum.timer.pass(Duration.ofSeconds(1));
		assertThat(abandoned).isCompleted();
		assertThat(this.quorum.node(1).awaited()).hasSizeGreaterThan(3).allMatch(CompletableFuture::isCancelled);
	}

	@Test
	void renewWhenANodeHasForgottenTakesItAgainWithTheToken() {
		this.quorum.node(1).restartEmpty();
		this.quorum.node(1).skew = Duration.ofSeconds(-5);
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
		this.here.release(this.request);
		for (int i : new int[] { 0, 2 }) {
			this.quorum.node(i).restartEmpty();
			this.quorum.node(i).skew = Duration.ofSeconds(-5);
		}
		assertThat(((Granted) this.there.acquire(this.there.request()).join()).token()).isGreaterThan(this.token);
	}

	@Test
	void renewWhenANodeWasAwayForLongerThanTheLeaseTakesItAgain() {
		this.quorum.node(1).state = State.DOWN;
		for (int i = 0; i < 4; i++) {
			this.quorum.timer.pass(VirtualQuorum.TTL.dividedBy(3));
			assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
		}
		this.quorum.node(1).state = State.UP;
		assertThat(this.there.acquire(this.there.request())).isCompletedWithValueMatching(Busy.class::isInstance);
		this.here.renew(this.request);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	@Test
	void renewWhenANodeThatAnswersLateHasForgottenTakesItAgain() {
		this.quorum.node(1).restartEmpty();
		this.quorum.node(1).state = State.FROZEN;
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
	}

	@Test
	void renewWhenAForgetfulNodeAnswersAfterTheLeaseTakesNothing() {
		this.quorum.node(1).restartEmpty();
		this.quorum.node(1).state = State.FROZEN;
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.HELD);
		this.quorum.timer.pass(VirtualQuorum.TTL.plusMillis(1));
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void renewWhenAMajorityHasForgottenIsLostAndTakesNothing() {
		this.quorum.node(0).restartEmpty();
		this.quorum.node(1).restartEmpty();
		assertThat(this.here.renew(this.request)).isCompletedWithValue(Ownership.LOST);
		assertThat(this.quorum.lockedNodes()).isEqualTo(1);
	}

	@Test
	void renewWhenTooFewNodesAreUpFails() {
		this.quorum.node(0).state = State.DOWN;
		this.quorum.node(1).state = State.DOWN;
		assertThat(this.here.renew(this.request)).isCompletedExceptionally();
	}

	@Test
	void retakenKeyWhenReleasedBeforeTheNodeAnswersIsReleasedThere() {
		this.quorum.node(1).restartEmpty();
		assertThat(this.quorum.node(1).isLocked(VirtualQuorum.KEY)).isFalse();
		this.quorum.node(1).state = State.FROZEN;
		this.here.renew(this.request);
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void releaseWhenOneNodeIsDownOrFrozenIsTrueAtOnce() {
		this.quorum.node(1).state = State.FROZEN;
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.there.acquire(this.there.request())).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void releaseWhenOneNodeHasForgottenIsTrue() {
		this.quorum.node(1).restartEmpty();
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.HELD);
	}

	@Test
	void releaseWhenAMajorityHasForgottenIsFalse() {
		this.quorum.node(1).restartEmpty();
		this.quorum.node(2).restartEmpty();
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.LOST);
	}

	/**
	 * A body that ended in time was told of no loss, though another holder ran beside it.
	 */
	@Test
	void releaseWhenAnotherHolderCameInByAnUngrantedNodeIsFalse() {
		VirtualQuorum contended = new VirtualQuorum(3);
		VirtualNode.Connection node = contended.node(2).connect();
		RequestId other = contended.instance().request();
		node.acquire(new AcquireCommand(List.of(VirtualQuorum.KEY), other, LockMode.EXCLUSIVE, 0, null,
				VirtualQuorum.TTL, Duration.ZERO, Duration.ZERO, 0, false));
		Instance first = contended.instance();
		RequestId mine = first.request();
		assertThat(first.waitFor(mine)).isCompletedWithValueMatching(Granted.class::isInstance);
		node.abandon(new AbandonCommand(VirtualQuorum.KEY, other));
		contended.node(1).restartEmpty();
		Instance second = contended.instance();
		assertThat(second.acquire(second.request())).isCompletedWithValueMatching(Granted.class::isInstance);
		assertThat(first.release(mine)).isCompletedWithValue(Ownership.LOST);
	}

	@Test
	void releaseAfterTheLeaseSaysThatItExpired() {
		this.quorum.timer.pass(VirtualQuorum.TTL.plusMillis(1));
		this.there.acquire(this.there.request()).join();
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.EXPIRED);
	}

	@Test
	void releaseAfterTheLeaseSaysThatItExpiredWhereANodeAnsweredLate() {
		VirtualQuorum slow = new VirtualQuorum(3);
		slow.node(2).state = State.FROZEN;
		Instance instance = slow.instance();
		RequestId mine = instance.request();
		instance.acquire(mine).join();
		slow.node(2).resume();
		slow.node(0).state = State.DOWN;
		slow.timer.pass(VirtualQuorum.TTL.plusMillis(1));
		Instance next = slow.instance();
		next.acquire(next.request()).join();
		assertThat(instance.release(mine)).isCompletedWithValue(Ownership.EXPIRED);
	}

	@Test
	void releaseWhenTooFewNodesAreUpFailsAndIsTrueWhenTriedAgain() {
		this.quorum.node(0).state = State.DOWN;
		this.quorum.node(1).state = State.DOWN;
		assertThat(this.here.release(this.request)).isCompletedExceptionally();
		this.quorum.node(0).state = State.UP;
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.HELD);
		assertThat(this.here.store.heldCount()).isZero();
	}

	/** It used to fail after the node time-out, though the answer was to come. */
	@Test
	void releaseAndRenewalWhenANodeNeverHadItWaitForTheSlowOnes() {
		this.quorum.node(2).restartEmpty();
		this.quorum.node(1).state = State.MUTE;
		CompletableFuture<Ownership> renewed = this.here.renew(this.request);
		CompletableFuture<Ownership> released = this.here.release(this.request);
		this.quorum.timer.pass(Duration.ofMillis(500));
		assertThat(renewed).isNotDone();
		assertThat(released).isNotDone();
		this.quorum.node(1).resume();
		assertThat(renewed).isCompletedWithValue(Ownership.HELD);
		assertThat(released).isCompletedWithValue(Ownership.HELD);
	}

	@Test
	void releaseWhenItOvertakesTheAcquisitionLeavesNothing() {
		this.here.release(this.request);
		this.quorum.node(1).state = State.FROZEN;
		RequestId second = this.here.request();
		this.here.acquire(second);
		this.quorum.node(1).state = State.UP;
		this.here.release(second);
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	/** A process that was stopped reads commands that have timed out long ago. */
	@Test
	void releaseWhenAFailedAcquisitionIsAppliedLateLeavesNothing() {
		this.here.release(this.request);
		this.quorum.node(1).timedOut = "acquire EXCLUSIVE"::equals;
		RequestId second = this.here.request();
		this.here.acquire(second);
		assertThat(this.here.release(second)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void releaseWhenTheLastAcquisitionIsAppliedLateLeavesNothing() {
		this.here.release(this.request);
		VirtualNode slow = this.quorum.node(2);
		slow.state = State.FROZEN;
		RequestId second = this.here.request();
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(second);
		assertThat(outcome).isCompletedWithValueMatching(Granted.class::isInstance);
		slow.failAnswers();
		slow.state = State.UP;
		assertThat(this.here.release(second)).isCompletedWithValue(Ownership.HELD);
		slow.resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void releaseWhenAppliedBeforeTheAcquisitionLeavesNothing() {
		this.here.release(this.request);
		VirtualNode stopped = this.quorum.node(1);
		stopped.timedOut = (what) -> true;
		RequestId second = this.here.request();
		this.here.acquire(second);
		assertThat(this.here.release(second)).isCompletedWithValue(Ownership.HELD);
		stopped.resumeInReverse();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void retakingThatIsAppliedAfterTheReleaseLeavesNothingThere() {
		this.quorum.node(1).restartEmpty();
		this.quorum.node(1).timedOut = "claim"::equals;
		this.quorum.node(1).delayed = "abandon"::equals;
		this.here.renew(this.request);
		assertThat(this.here.release(this.request)).isCompletedWithValue(Ownership.HELD);
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	/** The end of a request ends its keepFor as well. */
	@Test
	void releaseWhenANodeTookItWithoutAnAnswerDoesNotAbandon() {
		this.quorum.node(1).restartEmpty();
		this.quorum.node(1).timedOut = "claim"::equals;
		this.here.renew(this.request);
		this.quorum.node(1).timedOut = "release"::equals;
		this.here.renew(this.request);
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
		this.here.release(this.request);
		assertThat(this.quorum.node(1).asked).contains("release").doesNotContain("abandon");
	}

	@Test
	void releaseWhenANodeWasBusyOrHasForgottenDoesNotAbandonThere() {
		this.quorum.node(1).restartEmpty();
		this.here.release(this.request);
		assertThat(this.quorum.node(1).asked).as("its instance may wait there again").doesNotContain("abandon");
	}

	@Test
	void abandonWhenOneNodeIsFrozenIsDoneAfterTheNodeTimeout() {
		this.quorum.node(1).state = State.FROZEN;
		CompletableFuture<Void> abandoned = this.here.abandon(this.request);
		assertThat(abandoned).isNotDone();
		this.quorum.timer.pass(Duration.ofMillis(50));
		assertThat(abandoned).isCompleted();
		this.quorum.node(1).resume();
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void exclusionWhenTwoNodesAreCutOffInTurnIsKept() {
		this.quorum.node(0).state = State.DOWN;
		assertThat(this.there.acquire(this.there.request()).join()).isInstanceOf(Busy.class);
		this.quorum.node(0).state = State.UP;
		this.quorum.node(1).state = State.DOWN;
		assertThat(this.there.acquire(this.there.request()).join()).isInstanceOf(Busy.class);
	}

	@Test
	void requestsThatAreNotEndedAreForgottenAfterTheirLeases() {
		for (int i = 0; i < 5_000; i++) {
			this.quorum.timer.pass(VirtualQuorum.TTL.plusMillis(1));
			CompletableFuture<AcquireOutcome> outcome = this.here.acquire(this.here.request());
			assertThat(outcome.join()).isInstanceOf(Granted.class);
		}
		assertThat(this.here.store.heldCount()).isLessThan(2_100);
	}

	@Test
	void nodeWhenItHasStoppedAnsweringIsNotAskedWithoutEnd() {
		this.quorum.node(1).state = State.FROZEN;
		for (int i = 0; i < 3_000; i++) {
			RequestId again = this.here.request();
			this.here.acquire(again);
			this.here.release(again);
		}
		assertThat(this.quorum.node(1).asked).hasSizeLessThan(1_100);
		this.quorum.node(1).resume();
		this.quorum.node(1).asked.clear();
		this.here.acquire(this.here.request());
		assertThat(this.quorum.node(1).asked).isNotEmpty();
	}

}
