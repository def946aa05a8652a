package io.distributedlock.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/** The listeners of an election: the order of their calls, and their races. */
@ExtendWith(CapturedLog.Extension.class)
class ListenerCallsTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final String ROLE = "invoices";

	private final VirtualElections here = new VirtualElections();

	private final VirtualElections there = this.here.another();

	private final LeaderElection election = this.here.elections.create(ROLE,
			LeaderOptions.DEFAULTS.withTtl(TTL).withListenerGrace(Duration.ofSeconds(5)));

	private final LeaderElection next = this.there.elections.create(ROLE);

	private final ToldListener listener = new ToldListener();

	private void startBoth() {
		this.election.start();
		this.next.start();
	}

	private static LeaderListener onGranted(Consumer<Leadership> action) {
		return LeaderListener.of(action, (leadership) -> {
		});
	}

	@Test
	void listenerThatIsAddedWhileLeadingIsCalledAtOnce() {
		startBoth();
		this.election.addListener(this.listener);
		assertThat(this.listener.granted).containsExactly(this.election.leadership().orElseThrow());
	}

	@Test
	void listenerThatIsAddedAfterTheEndIsNotCalled() {
		startBoth();
		this.election.stopping();
		this.election.addListener(this.listener);
		assertThat(this.listener.told).isEmpty();
	}

	@Test
	void leadershipThatEndedBeforeTheListenerWasFreeIsLeftOut() {
		this.here.holdCalls();
		this.election.addListener(this.listener);
		startBoth();
		this.election.stopping();
		this.here.runCalls();
		assertThat(this.listener.told).isEmpty();
		assertThat(this.next.isLeader()).isTrue();
	}

	/** The thread for the call came after a long pause of the process. */
	@Test
	void leadershipWhoseMarginHasBegunIsNotGranted() {
		this.election.addListener(this.listener);
		this.here.holdCalls();
		this.election.start();
		this.here.registry.pause(TTL);
		this.here.runCalls();
		assertThat(this.listener.told).isEmpty();
		assertThat(this.election.isLeader()).isFalse();
	}

	@Test
	void listenerThatFailsChangesNothingForOthers(CapturedLog log) {
		this.election.addListener(LeaderListener.of((leadership) -> {
			throw new IllegalStateException("not granted");
		}, (leadership) -> {
			throw new AssertionError("not revoked");
		}));
		this.election.addListener(this.listener);
		startBoth();
		assertThat(this.election.isLeader()).isTrue();
		this.election.stopping();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
		assertThat(this.next.isLeader()).isTrue();
		assertThat(log)
			.contains("ERROR A listener of the election of 'invoices' failed, which does not change who leads")
			.contains("not granted")
			.contains("not revoked");
	}

	@Test
	void listenerLearnsOfTheEndWhileGrantedStillRuns() {
		List<String> learned = new ArrayList<>();
		this.election.addListener(LeaderListener.of((leadership) -> {
			leadership.onEnd(() -> learned.add("ended"));
			this.here.registry.fail();
			this.here.advance(TTL);
			learned.add("held " + leadership.isHeld());
		}, (leadership) -> learned.add("revoked")));
		startBoth();
		assertThat(learned).containsExactly("ended", "held false", "revoked");
	}

	@Test
	void actionForTheEndRunsAtOnceAfterIt() {
		startBoth();
		Leadership leadership = this.election.leadership().orElseThrow();
		this.election.stopping();
		CompletableFuture<Void> told = new CompletableFuture<>();
		leadership.onEnd(() -> told.complete(null));
		assertThat(told).isCompleted();
	}

	/** A stop waited for the listener whose thread it had. */
	@Test
	void closeWithinGrantedReturnsAndTheRevocationFollows() {
		this.election.addListener(onGranted((leadership) -> this.election.close()));
		this.election.addListener(this.listener);
		startBoth();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.listener.told).isEmpty();
		assertThat(this.next.isLeader()).isTrue();
		this.next.stopping();
		this.here.advance(TTL);
		assertThat(this.here.registry.isLocked(LeaderElection.LOCK_NAME, ROLE)).isFalse();
	}

	/** A thread stood still before its call, and the stop had not to wait for it. */
	@Test
	void grantThatWasChosenBeforeAStopIsNotMadeAfterIt() {
		startBoth();
		ListenerCalls late = new ListenerCalls(this.election, this.listener);
		Runnable call = late.next();
		assertThat(this.election.stopping()).isCompleted();
		call.run();
		late.run();
		assertThat(this.listener.told).isEmpty();
	}

	/** The first wait in revoked failed. */
	@Test
	void interruptThatGrantedLeavesDoesNotReachRevoked() {
		List<String> seen = new ArrayList<>();
		this.election.addListener(LeaderListener.of((leadership) -> {
			leadership.stepDown();
			Thread.currentThread().interrupt();
		}, (leadership) -> seen.add("interrupted " + Thread.currentThread().isInterrupted())));
		startBoth();
		assertThat(Thread.interrupted()).isFalse();
		assertThat(seen).containsExactly("interrupted false");
	}

	@Test
	void stepDownWithinGrantedIsFollowedByRevokedAndThenGranted() {
		this.election.addListener(new ToldListener() {

			@Override
			public void granted(Leadership leadership) {
				ListenerCallsTests.this.listener.granted(leadership);
				if (ListenerCallsTests.this.listener.granted.size() == 1) {
					leadership.stepDown();
				}
			}

			@Override
			public void revoked(Leadership leadership) {
				ListenerCallsTests.this.listener.revoked(leadership);
			}

		});
		this.election.start();
		this.here.advance(Duration.ofSeconds(3));
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1", "granted 2");
		assertThat(this.election.isLeader()).isTrue();
	}

	@Test
	void lockIsKeptUntilListenersHaveReturned() {
		this.election.addListener(this.listener);
		startBoth();
		this.here.holdCalls();
		CompletableFuture<Void> stopped = this.election.stopping();
		this.here.advance(Duration.ofSeconds(4));
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.next.isLeader()).isFalse();
		assertThat(stopped).isNotDone();
		this.here.runCalls();
		assertThat(stopped).isCompleted();
		assertThat(this.next.isLeader()).isTrue();
	}

	@Test
	void lockIsReleasedAfterTheGracePeriodOfListeners() {
		this.election.addListener(this.listener);
		startBoth();
		this.here.holdCalls();
		CompletableFuture<Void> stopped = this.election.stopping();
		this.here.advance(Duration.ofSeconds(5));
		assertThat(stopped).isCompleted();
		assertThat(this.next.isLeader()).isTrue();
		this.here.runCalls();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1");
	}

	/** A listener was granted twice, since its first revocation still waited. */
	@Test
	void listenerThatIsLateGetsItsRevocationBeforeTheNextGrant() {
		this.election.addListener(this.listener);
		this.election.start();
		this.here.holdCalls();
		this.election.stepDown();
		this.here.advance(Duration.ofSeconds(10));
		assertThat(this.election.isLeader()).as("after the grace period").isTrue();
		this.here.runCalls();
		assertThat(this.listener.told).containsExactly("granted 1", "revoked 1", "granted 2");
	}

}
