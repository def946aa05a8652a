package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.redlock.VirtualNode.State;
import io.distributedlock.redlock.VirtualQuorum.Instance;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.RequestId;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ObjectAssert;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class QuorumAcquisitionTests {

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(50);

	private final VirtualQuorum quorum = new VirtualQuorum(3);

	private final Instance here = this.quorum.instance();

	private final Instance there = this.quorum.instance();

	@Test
	void acquireWhenOneNodeIsDownIsGrantedAtOnce() {
		this.quorum.node(0).state = State.DOWN;
		assertThat(this.here.acquire(this.here.request())).isCompletedWithValueMatching(Granted.class::isInstance);
		assertThat(this.quorum.lockedNodes()).isEqualTo(2);
	}

	@Test
	void acquireWhenOneNodeIsFrozenIsGrantedAtOnceAndTheNodeFollows() {
		this.quorum.node(0).state = State.FROZEN;
		RequestId request = this.here.request();
		long token = token(this.here.acquire(request));
		this.quorum.node(0).skew = Duration.ofSeconds(-1);
		this.quorum.node(0).resume();
		assertThat(this.quorum.lockedNodes()).isEqualTo(3);
		assertThat(this.quorum.node(0).asked).as("its token was lower").contains("raise");
		assertThat(token(this.here.acquire(request))).isEqualTo(token);
	}

	@Test
	void acquireWhenAMajorityAnswersLateIsGrantedThen() {
		this.quorum.node(0).state = State.FROZEN;
		this.quorum.node(1).state = State.FROZEN;
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(this.here.request());
		this.quorum.timer.pass(Duration.ofMillis(500));
		assertThat(outcome).isNotDone();
		this.quorum.node(1).resume();
		assertThat(outcome).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void acquireWhenTokensAreNotWrittenBackYetIsNotHandedOut() {
		this.quorum.node(2).state = State.DOWN;
		this.quorum.node(1).skew = Duration.ofMillis(100);
		this.quorum.node(0).losesRaise = true;
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(this.here.request());
		assertUnavailable(outcome).hasMessageContaining("node0: connection reset")
			.hasMessageContaining("node2: connection refused");
	}

	/** It was refused, as if another process made the same requests. */
	@Test
	void acquireWhenANodeForgetsBeforeItsTokenIsRaisedIsUnavailable() {
		this.quorum.node(2).state = State.DOWN;
		this.quorum.node(1).skew = Duration.ofMillis(100);
		this.quorum.node(0).delayed = "raise"::equals;
		RequestId request = this.here.request();
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(request);
		this.quorum.node(0).restartEmpty();
		this.quorum.node(0).resume();
		assertUnavailable(outcome).hasMessageContaining("node0: it has lost the lock that it had granted");
		assertThat(this.here.acquire(request)).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void acquireWhenTheTokenIsLostWithOneOfThreeNodesIsGranted() {
		this.quorum.node(1).skew = Duration.ofMillis(100);
		this.quorum.node(0).losesRaise = true;
		assertThat(this.here.acquire(this.here.request())).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void acquireWhenTooFewNodesAreUpIsUnavailableAndNamesTheOthers() {
		this.quorum.node(0).state = State.DOWN;
		this.quorum.node(2).state = State.FROZEN;
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(this.here.request());
		this.quorum.timer.pass(Duration.ofSeconds(1));
		assertUnavailable(outcome).hasMessageContaining(
				"it takes 2 of 3 nodes, and 2 failed: node0: connection refused; node2: no answer in time");
	}

	/** It looked as if a majority were not enough, for no reason. */
	@Test
	void permitWhenANodeIsDownSaysThatTheSemaphoreTakesThemAll() {
		this.quorum.node(0).state = State.DOWN;
		assertUnavailable(acquirePermit(2)).hasMessageEndingWith(
				": a semaphore of 2 permits takes 3 of 3 nodes, and 1 failed: node0: connection refused");
		this.quorum.node(1).state = State.DOWN;
		assertUnavailable(acquirePermit(1)).hasMessageContaining(": a semaphore of 1 permit takes 2 of 3 nodes, and 2");
	}

	private CompletableFuture<AcquireOutcome> acquirePermit(int permits) {
		return this.here.acquire(this.here.request(), LockMode.SEMAPHORE, permits, VirtualQuorum.WAITING);
	}

	/** Nodes that had not been asked yet, or not waited for, were said to be silent. */
	@Test
	void acquireWhenAMajorityIsDownSaysNothingOfTheOthers() {
		this.quorum.node(0).state = State.DOWN;
		this.quorum.node(1).state = State.DOWN;
		assertUnavailable(this.here.acquire(this.here.request())).hasMessageEndingWith(
				": it takes 2 of 3 nodes, and 2 failed: node0: connection refused; node1: connection refused");
		this.quorum.node(0).state = State.FROZEN;
		this.quorum.node(2).state = State.DOWN;
		assertUnavailable(this.here.acquire(this.here.request())).hasMessageEndingWith(
				": it takes 2 of 3 nodes, and 2 failed: node1: connection refused; node2: connection refused");
	}

	@Test
	void acquireWhenOneNodeIsHeldAndTheOthersAreDownIsUnavailable() {
		this.there.acquire(this.there.request());
		this.quorum.node(1).state = State.DOWN;
		this.quorum.node(2).state = State.DOWN;
		assertUnavailable(this.here.acquire(this.here.request()));
	}

	@Test
	void acquireWhenAMajorityIsMisconfiguredSaysSo() {
		for (int i = 0; i < 2; i++) {
			this.quorum.node(i).state = State.DOWN;
			this.quorum.node(i).failure = Kind.MISCONFIGURED;
		}
		assertThat(catchThrowable(() -> this.here.acquire(this.here.request()).join()))
			.isInstanceOf(CompletionException.class)
			.cause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(Kind.MISCONFIGURED));
	}

	/** A later attempt used to count the grants that the first one was releasing. */
	@Test
	void acquireWhenAMajorityIsHeldIsBusyAtOnceAndEndsItsRequest() {
		this.there.acquire(this.there.request());
		this.quorum.node(2).state = State.FROZEN;
		assertBusy(this.here.acquire(this.here.request())).satisfies((busy) -> {
			assertThat(busy.holder()).isEqualTo(this.there.name());
			assertThat(busy.remaining()).isEqualTo(VirtualQuorum.TTL);
			assertThat(busy.ended()).isTrue();
		});
	}

	@Test
	void acquireWhenAMajorityIsHeldReleasesTheMinority() {
		this.quorum.node(0).state = State.DOWN;
		RequestId holder = this.there.request();
		this.there.acquire(holder);
		this.quorum.node(0).state = State.UP;
		RequestId request = this.here.request();
		assertBusy(this.here.waitFor(request)).satisfies((busy) -> {
			assertThat(busy.ended()).isTrue();
			assertThat(busy.remaining()).as("a real holder").isEqualTo(VirtualQuorum.TTL);
		});
		assertThat(this.quorum.lockedNodes()).isEqualTo(2);
		this.there.release(holder);
		this.quorum.timer.pass(Duration.ofMillis(50));
		assertThat(this.here.wakeUps).as("its word stays on the others").containsOnly(VirtualQuorum.KEY.encoded());
	}

	@Test
	void acquireWhenTheMinorityGrantsLateReleasesItThere() {
		this.quorum.node(2).state = State.DOWN;
		this.there.acquire(this.there.request());
		this.quorum.node(2).state = State.FROZEN;
		assertBusy(this.here.acquire(this.here.request()));
		this.quorum.node(2).resume();
		assertThat(this.quorum.lockedNodes()).isEqualTo(2);
	}

	@Test
	void acquireWhenVotesAreSplitPausesAtRandomAndLongerEachTime() {
		Instance third = this.quorum.instance();
		only(1, this.there);
		only(2, third);
		assertBusy(this.here.acquire(this.here.request())).satisfies((busy) -> {
			assertThat(busy.ended()).isTrue();
			assertThat(busy.remaining()).isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
		});
		for (int i = 0; i < 10; i++) {
			this.here.acquire(this.here.request());
		}
		assertBusy(this.here.acquire(this.here.request()))
			.satisfies((busy) -> assertThat(busy.remaining()).isBetween(Duration.ofMillis(20), Duration.ofMillis(50)));
		assertThat(this.quorum.node(0).isLocked(VirtualQuorum.KEY)).isFalse();
	}

	/** Shorter pauses would let attempts that take as long meet each other for ever. */
	@Test
	void acquireWhenVotesAreSplitOnSlowNodesPausesForLonger() {
		VirtualQuorum five = new VirtualQuorum(5);
		Instance here = five.instance();
		for (int i = 0; i < 3; i++) {
			five.node(i).connect().acquire(command(five.instance().request(), LockMode.EXCLUSIVE)).join();
		}
		for (int i = 0; i < 10; i++) {
			here.acquire(here.request());
		}
		five.node(0).state = State.FROZEN;
		CompletableFuture<AcquireOutcome> slow = here.acquire(here.request());
		five.timer.pass(Duration.ofMillis(40));
		five.node(0).resume();
		assertBusy(slow)
			.satisfies((busy) -> assertThat(busy.remaining()).isBetween(Duration.ofMillis(60), Duration.ofMillis(160)));
	}

	/** The node that does not answer may be the one that makes a real holder of it. */
	@Test
	void acquireWhenAMinorityIsHeldAndOneNodeIsDownAsksEverLessOften() {
		this.quorum.node(1).state = State.DOWN;
		only(0, this.there);
		Duration last = Duration.ZERO;
		for (int i = 0; i < 12; i++) {
			last = ((Busy) this.here.acquire(this.here.request()).join()).remaining();
		}
		assertThat(last).isGreaterThan(Duration.ofMillis(500));
	}

	/** Bug 49 of the list: a clean-up that was cancelled with its caller left locks. */
	@Test
	void acquireWhenCancelledAndAbandonedLeavesNothing() {
		this.quorum.nodes.forEach((node) -> node.state = State.FROZEN);
		RequestId request = this.here.request();
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(request);
		outcome.cancel(true);
		CompletableFuture<Void> abandoned = this.here.abandon(request);
		this.quorum.nodes.forEach(VirtualNode::resume);
		assertThat(abandoned).isCompleted();
		assertThat(this.quorum.lockedNodes()).isZero();
		assertThat(this.quorum.timer.pending()).isZero();
		assertThat(this.here.store.heldCount()).isZero();
	}

	@Test
	void acquireWhenAnswersWereLostAndItIsAbandonedLeavesNothing() {
		this.quorum.nodes.forEach((node) -> node.state = State.MUTE);
		RequestId request = this.here.request();
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(request);
		this.quorum.timer.pass(Duration.ofSeconds(1));
		assertUnavailable(outcome);
		this.quorum.nodes.forEach(VirtualNode::resume);
		this.here.abandon(request);
		assertThat(this.quorum.lockedNodes()).isZero();
	}

	@Test
	void acquireWhenTriedAgainAfterAnOutageIsGranted() {
		this.quorum.node(0).state = State.MUTE;
		this.quorum.node(1).state = State.MUTE;
		RequestId request = this.here.request();
		assertThat(this.here.acquire(request)).isNotDone();
		this.quorum.timer.pass(Duration.ofSeconds(1));
		this.quorum.node(0).resume();
		this.quorum.node(1).resume();
		assertThat(this.here.acquire(request)).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void acquireWhenReleasedBeforeIsRefused() {
		RequestId request = this.here.request();
		this.here.acquire(request);
		this.here.release(request);
		assertThat(this.here.acquire(request)).isCompletedWithValue(Refused.INSTANCE);
	}

	@Test
	void writerWhenVotesAreSplitWaitsOnBeforeTheReadersThatWait() {
		only(0, this.there, LockMode.READ);
		only(1, this.quorum.instance(), LockMode.READ);
		this.quorum.node(0).state = State.FROZEN;
		CompletableFuture<AcquireOutcome> writer = this.here.waitFor(this.here.request());
		RequestId reader = this.there.request();
		assertThat(ask(2, reader, LockMode.READ)).isInstanceOf(Busy.class);
		this.quorum.node(0).resume();
		assertBusy(writer);
		assertThat(this.quorum.node(2).isLocked(VirtualQuorum.KEY)).isFalse();
		assertThat(this.here.wakeUps).isEmpty();
		assertThat(ask(2, reader, LockMode.READ)).as("let in by the writer").isInstanceOf(Busy.class);
		assertThat(ask(2, this.there.request(), LockMode.READ)).as("overtakes it").isInstanceOf(Busy.class);
		this.quorum.timer.pass(VirtualQuorum.WAITING);
		assertThat(ask(2, reader, LockMode.READ)).as("waits for the dead").isInstanceOf(Granted.class);
	}

	@Test
	void writerWhenVotesAreSplitWakesTheNextInLine() {
		only(0, this.there, LockMode.READ);
		only(1, this.there, LockMode.READ);
		this.quorum.node(0).state = State.FROZEN;
		CompletableFuture<AcquireOutcome> writer = this.here.waitFor(this.here.request());
		ask(2, this.there.request(), LockMode.EXCLUSIVE);
		this.quorum.node(0).resume();
		assertBusy(writer);
		this.quorum.timer.pass(Duration.ofMillis(100));
		assertThat(this.there.wakeUps).hasSize(1);
		assertThat(this.here.wakeUps).isEmpty();
	}

	@Test
	void readersWhenTheyHaveANodeEachMakeRoomForTheWriterThatWaits() {
		RequestId reader = only(0, this.there, LockMode.READ);
		only(1, this.quorum.instance(), LockMode.READ);
		assertBusy(this.here.waitFor(this.here.request()));
		assertBusy(this.there.acquire(reader, LockMode.READ, 0, VirtualQuorum.WAITING)).matches(Busy::ended);
		assertThat(this.quorum.node(0).isLocked(VirtualQuorum.KEY)).isFalse();
		assertThat(this.here.waitFor(this.here.request())).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void semaphoreWhenOneMoreThanItsPermitsDoesNotGetAMajority() {
		this.quorum.node(0).state = State.DOWN;
		CompletableFuture<AcquireOutcome> outcome = this.here.acquire(this.here.request(), LockMode.SEMAPHORE, 2,
				Duration.ZERO);
		assertUnavailable(outcome).hasMessageContaining("a semaphore of 2 permits takes 3");
	}

	/** Leave a node to an instance that has nothing else. */
	private void only(int index, Instance instance) {
		only(index, instance, LockMode.EXCLUSIVE);
	}

	private RequestId only(int index, Instance instance, LockMode mode) {
		RequestId request = instance.request();
		assertThat(ask(index, request, mode)).isInstanceOf(Granted.class);
		return request;
	}

	private AcquireOutcome ask(int index, RequestId request, LockMode mode) {
		return this.quorum.node(index).connect().acquire(command(request, mode)).join();
	}

	private static AcquireCommand command(RequestId request, LockMode mode) {
		return new AcquireCommand(List.of(VirtualQuorum.KEY), request, mode, 0, null, VirtualQuorum.TTL, Duration.ZERO,
				VirtualQuorum.WAITING, 0, false);
	}

	private static long token(CompletableFuture<AcquireOutcome> outcome) {
		assertThat(outcome).isCompleted();
		return ((Granted) outcome.join()).token();
	}

	private static ObjectAssert<Busy> assertBusy(CompletableFuture<AcquireOutcome> outcome) {
		assertThat(outcome).isCompleted();
		return assertThat(outcome.join()).asInstanceOf(InstanceOfAssertFactories.type(Busy.class));
	}

	private static AbstractThrowableAssert<?, ?> assertUnavailable(CompletableFuture<AcquireOutcome> outcome) {
		assertThat(outcome).isCompletedExceptionally();
		return assertThat(catchThrowable(outcome::join)).cause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE));
	}

}
