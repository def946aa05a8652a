package io.distributedlock.leader;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.distributedlock.CapturedLog;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/** Who leads, and until when, on a clock that the test moves. */
@ExtendWith(CapturedLog.Extension.class)
class LeaderElectionTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration MARGIN = TTL.dividedBy(5);

	private static final LeaderOptions OPTIONS = LeaderOptions.DEFAULTS.withTtl(TTL);

	private static final String ROLE = "invoices";

	private final VirtualElections here = new VirtualElections();

	private final VirtualElections there = this.here.another();

	private final LeaderElection first = this.here.elections.create(ROLE, OPTIONS);

	private final LeaderElection second = this.there.elections.create(ROLE, OPTIONS);

	private final ToldListener listener = new ToldListener();

	private Leadership startBoth() {
		this.first.addListener(this.listener);
		this.first.start();
		this.second.start();
		return this.first.leadership().orElseThrow();
	}

	private boolean isLocked() {
		return this.here.registry.isLocked(LeaderElection.LOCK_NAME, ROLE);
	}

	@Test
	void firstCandidateLeadsAndTheSecondWaits() {
		Leadership leadership = startBoth();
		assertThat(this.first.isLeader()).isTrue();
		assertThat(leadership.role()).isEqualTo(ROLE);
		assertThat(leadership.lease().fencingToken()).isEqualTo(leadership.fencingToken());
		assertThat(this.second.isLeader()).isFalse();
		assertThat(this.second.leadership()).isEmpty();
	}

	@Test
	void electionThatWasNotStartedDoesNotLead() {
		assertThat(this.first.isLeader()).isFalse();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void electionsOfOneInstanceExcludeEachOther() {
		startBoth();
		LeaderElection twin = this.here.elections.create(ROLE, OPTIONS);
		twin.start();
		assertThat(twin.isLeader()).isFalse();
		this.second.stopping();
		this.first.stopping();
		assertThat(twin.isLeader()).isTrue();
	}

	@Test
	void rolesAreIndependent() {
		startBoth();
		LeaderElection other = this.there.elections.create("reports", OPTIONS);
		other.start();
		assertThat(other.isLeader()).isTrue();
	}

	@Test
	void leadershipGoesOnByRenewals() {
		Leadership leadership = startBoth();
		this.here.advance(TTL.multipliedBy(3));
		assertThat(this.first.leadership()).containsSame(leadership);
		assertThat(leadership.age()).isEqualTo(TTL.multipliedBy(3));
		assertThat(this.second.isLeader()).isFalse();
		assertThat(this.listener.told).containsExactly("granted 1");
	}

	/** Time does not pass: the successor waits for no lease and for no poll. */
	@Test
	void successorLeadsAtOnceWhenTheLeaderStops() {
		Leadership before = startBoth();
		assertThat(this.first.stopping()).isCompleted();
		assertThat(this.first.isLeader()).isFalse();
		assertThat(this.second.leadership())
			.hasValueSatisfying((next) -> assertThat(next.fencingToken()).isGreaterThan(before.fencingToken()));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	@Test
	void successorLeadsWhenTheLeaderHasDied() {
		startBoth();
		this.here.registry.fail();
		this.here.advance(TTL.minusSeconds(2));
		assertThat(this.second.isLeader()).isFalse();
		this.here.advance(Duration.ofSeconds(4));
		assertThat(this.second.isLeader()).isTrue();
	}

	/** No event, no timer and no listener: the question itself looks at the clock. */
	@Test
	void pausedProcessDoesNotBelieveInItsLeadership() {
		Leadership leadership = startBoth();
		this.here.holdCalls();
		this.here.registry.pause(TTL.minus(MARGIN));
		assertThat(leadership.isHeld()).isFalse();
		assertThat(this.first.isLeader()).isFalse();
		assertThat(this.first.leadership()).isEmpty();
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.runCalls();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	@Test
	void leadershipEndsTheMarginBeforeTheLease() {
		Leadership leadership = startBoth();
		this.here.registry.fail();
		this.here.advance(TTL.minus(MARGIN).minusMillis(500));
		assertThat(this.first.isLeader()).isTrue();
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(this.first.isLeader()).isFalse();
		assertThat(leadership.isHeld()).isFalse();
		assertThat(isLocked()).isTrue();
		assertThat(this.second.isLeader()).isFalse();
	}

	@Test
	void marginIsThatOfTheOptionsUpToHalfOfTheLease() {
		assertEndsBefore(OPTIONS.withMargin(Duration.ofSeconds(12)), Duration.ofSeconds(12));
		assertEndsBefore(LeaderOptions.DEFAULTS.withMargin(Duration.ofSeconds(25)), TTL.dividedBy(2));
	}

	/** The margin was a part of what was left of the lease at the grant. */
	@Test
	void marginIsThatOfTheLeaseAlsoForALateGrant() {
		CompletableFuture<Lease> late = new CompletableFuture<>();
		CompletableFuture<Lease> lease = this.here.registry
			.acquireAsync(LockRequest.of(LeaderElection.LOCK_NAME, ROLE).ttl(TTL))
			.toCompletableFuture();
		this.here.acquire = (request) -> late;
		this.first.addListener(this.listener);
		this.first.start();
		this.here.acquire = this.here.registry::acquireAsync;
		this.here.registry.fail();
		this.here.registry.pause(Duration.ofSeconds(20));
		late.complete(lease.join());
		this.here.advance(Duration.ofMillis(3500));
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	private static void assertEndsBefore(LeaderOptions options, Duration margin) {
		VirtualElections alone = new VirtualElections();
		LeaderElection election = alone.elections.create(ROLE, options);
		election.start();
		alone.registry.pause(TTL.minus(margin).minusMillis(500));
		assertThat(election.isLeader()).isTrue();
		alone.registry.pause(Duration.ofMillis(500));
		assertThat(election.isLeader()).isFalse();
	}

	@Test
	void outageThatIsShortEndsNothing() {
		Leadership leadership = startBoth();
		this.here.registry.fail();
		this.here.advance(TTL.dividedBy(2));
		this.here.registry.heal();
		this.here.advance(TTL);
		assertThat(this.first.leadership()).containsSame(leadership);
		assertThat(this.listener.told).containsExactly("granted 1");
	}

	/** Both would be leader in the eyes of code that has seen the end. */
	@Test
	void leadershipThatHasEndedDoesNotComeBackByARenewal() {
		Leadership leadership = startBoth();
		this.here.holdCalls();
		this.here.registry.fail();
		this.here.advance(TTL.minus(MARGIN));
		assertThat(this.first.isLeader()).isFalse();
		this.here.registry.heal();
		this.here.advance(Duration.ofSeconds(5));
		assertThat(leadership.lease().remaining()).isGreaterThan(MARGIN);
		assertThat(leadership.isHeld()).isFalse();
		assertThat(this.first.isLeader()).isFalse();
		this.here.runCalls();
		assertThat(this.second.isLeader()).isTrue();
	}

	@Test
	void clockThatJumpsMakesDoubtUntilTheStoreHasConfirmed() {
		Leadership leadership = startBoth();
		this.here.registry.suspend(Duration.ofHours(2));
		assertThat(this.first.isLeader()).isFalse();
		this.here.advance(Duration.ofMillis(10));
		assertThat(this.first.leadership()).containsSame(leadership);
		assertThat(this.listener.told).containsExactly("granted 1");
	}

	/** The timer took a lease in doubt for one of which nothing is left. */
	@Test
	void leadershipInDoubtGoesOnWhenTheStoreConfirms() {
		Leadership leadership = startBoth();
		suspendInAnOutageAfter(TTL.minus(MARGIN).minusSeconds(1));
		this.here.advance(Duration.ofSeconds(2));
		assertThat(this.first.isLeader()).isFalse();
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.registry.heal();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(this.first.leadership()).containsSame(leadership);
		assertThat(this.listener.told).containsExactly("granted 1");
	}

	private void suspendInAnOutageAfter(Duration time) {
		this.here.advance(time);
		this.here.registry.fail();
		this.here.registry.suspend(Duration.ofHours(2));
	}

	/** Listeners were told up to 24 s later, and another instance may lead by then. */
	@Test
	void leadershipInDoubtEndsIfTheStoreDoesNotConfirm() {
		Leadership leadership = startBoth();
		suspendInAnOutageAfter(Duration.ofSeconds(1));
		assertThat(this.first.isLeader()).isFalse();
		this.here.advance(TTL.dividedBy(6).minusMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(leadership.lease().isLost()).isFalse();
	}

	/** The timer notices the doubt at its next look. */
	@Test
	void doubtThatNoCodeHasSeenEndsTheLeadership() {
		startBoth();
		suspendInAnOutageAfter(Duration.ofSeconds(1));
		this.here.advance(TTL.dividedBy(3).minusMillis(1500));
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	/** A second doubt counted from the first one. */
	@Test
	void doubtThatWasClearedUpDoesNotCountLater() {
		Leadership leadership = startBoth();
		for (int i = 0; i < 2; i++) {
			suspendInAnOutageAfter(Duration.ofSeconds(1));
			assertThat(this.first.isLeader()).isFalse();
			this.here.advance(TTL.dividedBy(10));
			this.here.registry.heal();
			this.here.advance(Duration.ofSeconds(8));
		}
		assertThat(this.first.leadership()).containsSame(leadership);
		assertThat(this.listener.told).containsExactly("granted 1");
	}

	/** Work must stop before the lease can end, also if nothing is known of it. */
	@Test
	void leadershipInDoubtEndsTheMarginBeforeItsLastKnownEnd() {
		Leadership leadership = startBoth();
		this.here.registry.fail();
		suspendInAnOutageAfter(TTL.minus(MARGIN).minusSeconds(1));
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1");
		this.here.advance(Duration.ofMillis(500));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(leadership.lease().isLost()).isFalse();
	}

	/** The question itself looks at the clock, and no timer has fired. */
	@Test
	void pausedProcessInDoubtEndsItsLeadership() {
		Leadership leadership = startBoth();
		suspendInAnOutageAfter(Duration.ofSeconds(1));
		this.here.registry.pause(TTL.minus(MARGIN));
		assertThat(leadership.isHeld()).isFalse();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	@Test
	void keyThatWasDeletedLeadsToRevocationAndReElection() {
		Leadership before = startBoth();
		this.second.stopping();
		this.here.registry.steal(LeaderElection.LOCK_NAME, ROLE);
		this.here.advance(TTL.dividedBy(3).plusMillis(20));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1", "granted 2");
		assertThat(this.first.leadership())
			.hasValueSatisfying((next) -> assertThat(next.fencingToken()).isGreaterThan(before.fencingToken()));
		assertThat(before.isHeld()).isFalse();
	}

	/** The election took a closed lease for one in doubt, until its next timer. */
	@Test
	void leaseThatIsClosedByOtherCodeEndsTheLeadership() {
		Leadership leadership = startBoth();
		leadership.lease().close();
		assertThat(this.first.isLeader()).isFalse();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(this.second.isLeader()).isTrue();
		leadership.lease().close();
		this.here.advance(TTL);
		this.second.stopping();
		assertThat(this.first.isLeader()).as("still a candidate").isTrue();
	}

	/** It could be extended until the listeners had returned. */
	@Test
	void leaseThatIsClosedByOtherCodeIsClosedAtOnce() {
		Lease lease = startBoth().lease();
		this.here.holdCalls();
		lease.close();
		assertThat(isLocked()).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(lease::checkHeld).withMessageContaining("is closed");
		assertThatIllegalStateException().isThrownBy(() -> lease.extend(TTL));
		assertThatIllegalStateException().isThrownBy(() -> lease.extendAsync(TTL, null));
	}

	@Test
	void leaseThatIsReleasedByOtherCodeIsKeptForListeners() {
		Leadership leadership = startBoth();
		this.here.holdCalls();
		CompletableFuture<Void> released = leadership.lease().release().toCompletableFuture();
		assertThat(this.first.isLeader()).isFalse();
		assertThat(released).isNotDone();
		assertThat(isLocked()).isTrue();
		this.here.runCalls();
		assertThat(released).isCompleted();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	/** The margin stayed that of the longer lease, so that no renewal came before it. */
	@Test
	void leaseThatIsShortenedByOtherCodeIsRenewed() {
		Leadership leadership = startBoth();
		assertThat(leadership.lease().extendAsync(MARGIN, null)).isCompleted();
		this.here.advance(TTL);
		assertThat(this.first.leadership()).containsSame(leadership);
		this.here.registry.fail();
		this.here.advance(MARGIN);
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(leadership.lease().isLost()).as("before the end of its lease").isFalse();
	}

	@Test
	void leaseThatIsShortenedKeepsHalfOfItselfAsMargin() {
		LeaderElection election = this.here.elections.create(ROLE, OPTIONS.withMargin(Duration.ofSeconds(12)));
		election.start();
		Leadership leadership = election.leadership().orElseThrow();
		leadership.lease().extendAsync(Duration.ofSeconds(10), null);
		this.here.registry.pause(Duration.ofMillis(4500));
		assertThat(leadership.isHeld()).isTrue();
		this.here.registry.pause(Duration.ofMillis(500));
		assertThat(leadership.isHeld()).isFalse();
	}

	@Test
	void leaseThatIsExtendedByOtherCodeHasALongerMargin() {
		Leadership leadership = startBoth();
		leadership.lease().extendAsync(TTL.multipliedBy(2), null);
		this.here.registry.pause(TTL.minus(MARGIN).multipliedBy(2).minusMillis(500));
		assertThat(leadership.isHeld()).isTrue();
		this.here.registry.pause(Duration.ofMillis(500));
		assertThat(leadership.isHeld()).isFalse();
	}

	/** The store may have either lease, and renewals are for the longer one. */
	@Test
	void leaseWhoseShorteningFailsHasItsMarginAgain() {
		Leadership leadership = startBoth();
		this.here.registry.fail();
		assertThat(leadership.lease().extendAsync(Duration.ofSeconds(10), null)).isCompletedExceptionally();
		this.here.registry.heal();
		this.here.advance(Duration.ofSeconds(5));
		this.here.registry.pause(leadership.lease().remaining().minus(TTL.dividedBy(6)));
		assertThat(leadership.isHeld()).isFalse();
	}

	@Test
	void extendThatIsRefusedChangesNoMargin() {
		Leadership leadership = startBoth();
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> leadership.lease().extendAsync(Duration.ZERO, null));
		this.here.registry.pause(TTL.minus(MARGIN).minusMillis(500));
		assertThat(leadership.isHeld()).isTrue();
		this.here.registry.pause(Duration.ofMillis(500));
		assertThat(leadership.isHeld()).isFalse();
	}

	@Test
	void leaderThatStepsDownLetsOthersComeFirst() {
		Leadership leadership = startBoth();
		assertThat(this.first.stepDown()).isTrue();
		assertThat(this.second.isLeader()).isTrue();
		assertThat(this.first.stepDown()).isFalse();
		assertThat(leadership.stepDown()).isFalse();
		this.here.advance(Duration.ofSeconds(3));
		this.second.stopping();
		assertThat(this.first.isLeader()).isTrue();
		assertThat(leadership.stepDown()).as("it is over, and the next one stays").isFalse();
		assertThat(this.first.isLeader()).isTrue();
	}

	@Test
	void leaderThatStepsDownAloneLeadsAgainAfterThePause() {
		this.first.start();
		assertThat(this.first.leadership().orElseThrow().stepDown()).isTrue();
		this.here.advance(Duration.ofMillis(1990));
		assertThat(this.first.isLeader()).isFalse();
		this.here.advance(Duration.ofMillis(20));
		assertThat(this.first.isLeader()).isTrue();
	}

	@Test
	void candidateThatStopsLeavesTheLine() {
		startBoth();
		assertThat(this.second.stopping()).isCompleted();
		this.first.stopping();
		this.here.advance(TTL);
		assertThat(this.second.isLeader()).isFalse();
		assertThat(isLocked()).isFalse();
	}

	/** The grant came when the stop had looked. */
	@Test
	void lockThatArrivesAfterTheStopIsReleased() {
		this.first.addListener(this.listener);
		Runnable answer = this.here.registry.holdAttempt();
		this.first.start();
		this.first.stopping();
		answer.run();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(this.first.isLeader()).isFalse();
		assertThat(isLocked()).isFalse();
		assertThat(this.listener.told).isEmpty();
	}

	/** The stop had returned, and the lock was held. */
	@Test
	void stopWaitsForTheReleaseOfALockThatArrivesMeanwhile() {
		LateAnswer answer = new LateAnswer();
		this.here.acquire = answer::of;
		this.first.start();
		CompletableFuture<Void> stopped = this.first.stopping();
		assertThat(stopped).isNotDone();
		assertThat(this.first.stopping()).as("of a second stop").isNotDone();
		assertThat(isLocked()).isTrue();
		answer.arrive();
		assertThat(stopped).isCompleted();
		assertThat(isLocked()).isFalse();
		assertThat(this.first.isLeader()).isFalse();
	}

	@Test
	void stopDuringABackOffDoesNotWait() {
		this.here.registry.refuse();
		this.first.start();
		assertThat(this.first.stopping()).isCompleted();
	}

	@Test
	void electionThatWasStoppedStartsAgain() {
		startBoth();
		this.second.stopping();
		this.first.stopping();
		this.first.start();
		assertThat(this.first.isLeader()).isTrue();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1", "granted 2");
	}

	@Test
	void electionThatStartsWhileItEndsLeadsAgainAfterThat() {
		Leadership before = startBoth();
		this.second.stopping();
		this.here.holdCalls();
		this.first.stopping();
		this.first.start();
		assertThat(this.first.isLeader()).isFalse();
		this.here.runCalls();
		this.here.runDue();
		assertThat(this.first.leadership()).hasValueSatisfying((next) -> assertThat(next).isNotSameAs(before));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1", "granted 2");
	}

	@Test
	void candidateGoesOnThroughAnOutage() {
		this.here.registry.fail();
		this.first.start();
		this.here.advance(Duration.ofMinutes(5));
		assertThat(this.here.registry.attempts()).isLessThan(400);
		this.here.registry.heal();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(this.first.isLeader()).isTrue();
	}

	/** An error left a candidate without a request and without a timer. */
	@Test
	void candidateWhoseRequestEndsInAnErrorTriesAgain(CapturedLog log) {
		this.here.acquire = (request) -> {
			throw new NoClassDefFoundError("a driver");
		};
		this.first.start();
		assertThat(log).contains("WARN Role 'invoices' cannot be led").contains("NoClassDefFoundError: a driver");
		this.here.acquire = this.here.registry::acquireAsync;
		this.here.advance(Duration.ofSeconds(1));
		assertThat(this.first.isLeader()).isTrue();
	}

	/** No timer fired, though a later start seemed to succeed. */
	@Test
	void electionWhoseThreadDidNotStartCanBeStartedAgain() {
		AtomicInteger starts = new AtomicInteger();
		this.here.driver = () -> {
			if (starts.incrementAndGet() == 1) {
				throw new OutOfMemoryError("unable to create native thread");
			}
		};
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.first::start);
		assertThat(this.first.isLeader()).isFalse();
		this.first.start();
		assertThat(starts).hasValue(2);
		assertThat(this.first.isLeader()).isTrue();
		this.first.start();
		assertThat(starts).hasValue(2);
	}

	/** The stop waited for the release of the next leadership. */
	@Test
	void stopDoesNotWaitForALeadershipAfterIt() {
		CompletableFuture<Lease> waiting = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				LeaderElectionTests.this.first.start();
				return super.cancel(mayInterruptIfRunning);
			}

		};
		this.here.acquire = (request) -> waiting;
		this.first.start();
		this.here.acquire = this.here.registry::acquireAsync;
		assertThat(this.first.stopping()).isCompleted();
		assertThat(this.first.isLeader()).isTrue();
	}

	@Test
	void candidateThatIsRefusedTriesAgainLessAndLessOften(CapturedLog log) {
		this.here.registry.refuse();
		this.first.start();
		this.here.advance(Duration.ofMinutes(5));
		assertThat(this.here.registry.attempts()).isBetween(10, 25);
		assertThat(log).contains("WARN Role 'invoices' cannot be led by this instance, which tries again in");
		this.here.registry.heal();
		this.here.advance(Duration.ofSeconds(30));
		assertThat(this.first.isLeader()).isTrue();
	}

	@Test
	void registryThatIsClosedEndsTheCandidature(CapturedLog log) {
		startBoth();
		this.there.registry.close();
		int before = this.there.registry.attempts();
		this.first.stopping();
		this.here.advance(TTL);
		assertThat(this.there.registry.attempts()).isEqualTo(before);
		assertThat(this.second.isLeader()).isFalse();
		assertThat(log).doesNotContain("WARN Role");
	}

	/** The thread of the timers ended with the close, and the lock was never released. */
	@Test
	void closeThatIsInterruptedReleasesAfterTheGracePeriod() {
		startBoth();
		this.here.holdCalls();
		assertReleasesAfterClose();
	}

	@Test
	void closeDuringAStopReleasesAfterTheGracePeriod() {
		startBoth();
		this.here.holdCalls();
		this.first.stopping();
		assertReleasesAfterClose();
	}

	private void assertReleasesAfterClose() {
		Thread.currentThread().interrupt();
		this.here.elections.close();
		assertThat(Thread.interrupted()).isTrue();
		this.here.advance(OPTIONS.listenerGrace().minusMillis(100));
		assertThat(this.second.isLeader()).as("before the listeners").isFalse();
		this.here.advance(Duration.ofMillis(100));
		assertThat(this.second.isLeader()).isTrue();
		this.here.runCalls();
		assertThat(this.here.loop.timers().isStopped()).isTrue();
	}

	@Test
	void closeOnTheThreadOfAListenerReleasesAfterTheGracePeriod() {
		this.first.addListener(LeaderListener.of((leadership) -> {
			this.here.elections.close();
			this.here.advance(OPTIONS.listenerGrace());
			assertThat(isLocked()).as("while granted still runs").isFalse();
			this.listener.granted(leadership);
		}, this.listener::revoked));
		this.first.start();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(this.here.loop.timers().isStopped()).isTrue();
	}

	@Test
	void registryThatWasClosedBeforeKeepsNoThread() {
		startBoth();
		this.there.registry.close();
		this.first.stopping();
		this.here.runDue();
		this.there.elections.close();
		assertThat(this.there.loop.timers().isStopped()).isTrue();
	}

	/** A call of a listener that had to log the end was the last one. */
	@Test
	void logThatFailsKeepsNothingFromListeners() {
		Logger logger = (Logger) LoggerFactory.getLogger(LeaderElection.class);
		Appender<ILoggingEvent> broken = mock();
		willThrow(new IllegalStateException("no log")).given(broken).doAppend(any());
		logger.addAppender(broken);
		try {
			startBoth();
			this.here.holdCalls();
			this.first.stepDown();
			this.here.runCalls();
		}
		finally {
			logger.detachAppender(broken);
		}
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(this.second.isLeader()).isTrue();
	}

	/** The log named a renewal, though the lock was lost. */
	@Test
	void logNamesALossThatTheQuestionNotices(CapturedLog log) {
		startBoth();
		this.here.registry.pause(TTL);
		assertThat(this.first.isLeader()).isFalse();
		assertThat(log).contains("no longer leads 'invoices': its lock was lost");
	}

	@Test
	void logNamesAMarginThatHasBegun(CapturedLog log) {
		startBoth();
		this.here.registry.pause(TTL.minus(MARGIN));
		assertThat(this.first.isLeader()).isFalse();
		assertThat(log).contains("no longer leads 'invoices': no renewal of its lease was confirmed in time");
	}

	@Test
	void logSaysWhoLeadsAndWhyNoLonger(CapturedLog log) {
		Leadership leadership = startBoth();
		this.first.stopping();
		assertThat(log).contains("INFO This instance leads 'invoices', with fencing token " + leadership.fencingToken())
			.contains("INFO This instance no longer leads 'invoices': the election was stopped");
	}

	/** The answer to a request, which is complete, but is not seen yet. */
	private final class LateAnswer extends CompletableFuture<Lease> {

		private BiConsumer<? super Lease, ? super Throwable> reader;

		LateAnswer of(LockRequest request) {
			LeaderElectionTests.this.here.registry.acquireAsync(request).thenAccept(this::complete);
			return this;
		}

		@Override
		public CompletableFuture<Lease> whenComplete(BiConsumer<? super Lease, ? super Throwable> action) {
			this.reader = action;
			return this;
		}

		void arrive() {
			this.reader.accept(join(), null);
		}

	}

}
