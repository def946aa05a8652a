package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.AcquireCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Callers of one instance hand a lock on to each other, within bounds. */
class KeyQueueHandOffTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofHours(1));

	private ManualInstance here = new ManualInstance();

	/** The caller that has the lock by the store, and those that wait behind it. */
	private final Queue<CompletableFuture<Lease>> line = new ArrayDeque<>();

	/** Begin a turn: the first of some callers has the lock, and the others wait. */
	private Lease turn(LockRequest request, int callers) {
		Lease first = this.here.acquire(request).join();
		for (int i = 0; i < callers; i++) {
			this.line.add(this.here.acquire(request));
		}
		first.close();
		return next();
	}

	private Lease next() {
		CompletableFuture<Lease> next = this.line.remove();
		assertThat(next).isCompleted();
		return next.join();
	}

	private int commands() {
		return Stream.of(Command.values()).mapToInt(this.here.store::sent).sum();
	}

	private AcquireCommand lastAsked() {
		List<AcquireCommand> asked = this.here.store.asked();
		return asked.get(asked.size() - 1);
	}

	@Test
	void lockIsHandedOnInOrderWithATokenForEach() {
		Lease lease = turn(REQUEST, 5);
		int before = commands();
		for (int i = 0; i < 4; i++) {
			lease.close();
			Lease next = next();
			assertThat(next.fencingToken()).isEqualTo(lease.fencingToken() + 1);
			assertThat(next.isHeld()).isTrue();
			assertThat(lease.isHeld()).isFalse();
			lease = next;
		}
		assertThat(commands()).isEqualTo(before);
		lease.close();
		assertThat(commands()).isEqualTo(before + 1);
		assertThat(this.here.store.isLocked("k")).isFalse();
	}

	@Test
	void nextInstanceHasALargerToken() {
		Lease lease = turn(REQUEST, 3);
		lease.close();
		next().close();
		Lease last = next();
		last.close();
		assertThat(this.here.another().acquire(REQUEST).join().fencingToken()).isGreaterThan(last.fencingToken());
	}

	/** The clock of the server may have been set back, so it is told. */
	@Test
	void tokenThatWasHandedOnIsTheHighestThatTheInstanceHasSeen() {
		turn(REQUEST, 2).close();
		Lease last = next();
		last.close();
		this.here.acquire(REQUEST).join();
		assertThat(lastAsked().highestToken()).isEqualTo(last.fencingToken());
	}

	@Test
	void callerThatIsAloneReservesNothing() {
		this.here.acquire(REQUEST).join();
		assertThat(lastAsked().spareTokens()).isZero();
	}

	@Test
	void turnEndsWithItsTokens() {
		Lease lease = turn(REQUEST, 2);
		assertThat(lastAsked().spareTokens()).isEqualTo(8);
		int releases = this.here.store.sent(Command.RELEASE);
		List<Integer> sent = new ArrayList<>();
		for (int i = 0; i < 18; i++) {
			this.line.add(this.here.acquire(REQUEST));
			lease.close();
			lease = next();
			sent.add(this.here.store.sent(Command.RELEASE) - releases);
		}
		assertThat(sent).containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2);
	}

	@Test
	void turnIsBoundedInNumber() {
		turn(REQUEST, 200);
		assertThat(lastAsked().spareTokens()).isEqualTo(QueueView.MOST_HAND_OFFS);
	}

	@Test
	void turnEndsWithItsPeriod() {
		Lease lease = turn(REQUEST, 3);
		int releases = this.here.store.sent(Command.RELEASE);
		this.here.clock.advance(QueueView.TURN.minusNanos(1));
		lease.close();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases);
		this.here.clock.advance(Duration.ofNanos(1));
		next().close();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases + 1);
	}

	/** A lease that is not renewed is hardly shorter than the requested ttl. */
	@Test
	void turnIsNoLongerThanAHundredthOfTheTtl() {
		Lease lease = turn(REQUEST.ttl(Duration.ofMillis(500)), 2);
		int releases = this.here.store.sent(Command.RELEASE);
		this.here.clock.advance(Duration.ofMillis(5));
		lease.close();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases + 1);
	}

	static Stream<LockRequest> others() {
		return Stream.of(REQUEST.mode(LockMode.FAIR), REQUEST.permits(1), REQUEST.keepFor(Duration.ofSeconds(1)),
				LockRequest.ofAll("a", "b").waitFor(Duration.ofHours(1)));
	}

	@ParameterizedTest
	@MethodSource("others")
	void lockOfAnotherKindIsReleased(LockRequest request) {
		this.here.store.takeTogether();
		Lease first = this.here.acquire(request).join();
		CompletableFuture<Lease> second = this.here.acquire(request);
		CompletableFuture<Lease> third = this.here.acquire(request);
		int releases = this.here.store.sent(Command.RELEASE);
		first.close();
		this.here.advance(Duration.ofSeconds(2));
		second.join().close();
		this.here.advance(Duration.ofSeconds(2));
		third.join();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases + 2);
		assertThat(this.here.store.asked()).allMatch((command) -> command.spareTokens() == 0);
	}

	@Test
	void callerThatWantsAnotherLeaseAsksTheStore() {
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST));
		this.line.add(this.here.acquire(REQUEST.ttl(Duration.ofSeconds(20))));
		first.close();
		int before = this.here.store.sent(Command.RELEASE);
		next().close();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(before + 1);
		assertThat(next().remaining()).isGreaterThan(Duration.ofSeconds(15));
	}

	/**
	 * Its read lock is allowed beside the request, which no other caller may go on with.
	 */
	@Test
	void lockWhoseOwnerReadsInsideIsReleased() {
		Object owner = new Object();
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST.ownedBy(owner)));
		this.line.add(this.here.acquire(REQUEST));
		this.line.add(this.here.acquire(REQUEST));
		first.close();
		Lease writer = next();
		Lease reader = this.here.acquire(REQUEST.mode(LockMode.READ).ownedBy(owner)).join();
		assertThat(reader.fencingToken()).isGreaterThanOrEqualTo(writer.fencingToken());
		writer.close();
		assertThat(this.line.peek()).isNotDone();
		reader.close();
		this.here.advance(EngineSettings.DEFAULTS.pollInterval());
		assertThat(next().fencingToken()).isGreaterThan(reader.fencingToken());
	}

	@Test
	void lockThatIsInDoubtIsReleased() {
		Lease lease = turn(REQUEST, 3);
		int releases = this.here.store.sent(Command.RELEASE);
		this.here.store.silence(Command.RENEW);
		this.here.engine.instance.clock.distrust();
		lease.close();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases + 1);
		this.here.store.heal();
		assertThat(next().isHeld()).isTrue();
	}

	@Test
	void lockThatIsLostIsNotHandedOn() {
		Lease lease = turn(REQUEST, 2);
		this.here.engine.loseAll(LossReason.SHUTDOWN);
		int before = this.here.store.sent(Command.ACQUIRE);
		lease.release();
		this.here.advance(Duration.ofSeconds(11));
		assertThat(this.here.store.sent(Command.ACQUIRE)).isGreaterThan(before);
		assertThat(next().fencingToken()).isGreaterThan(lease.fencingToken() + 1);
	}

	@Test
	void waiterThatHasGivenUpIsPassedOver() {
		Lease lease = turn(REQUEST, 3);
		this.line.remove().cancel(false);
		int before = commands();
		lease.close();
		assertThat(next().isHeld()).isTrue();
		assertThat(commands()).isEqualTo(before);
	}

	@Test
	void leaseThatWasHandedOnIsRenewedAndEndsWithTheLockOfTheStore() {
		Lease lease = turn(REQUEST, 2);
		this.here.clock.advance(Duration.ofMillis(10));
		Duration left = lease.remaining();
		lease.close();
		Lease next = next();
		assertThat(next.remaining()).isEqualTo(left);
		this.here.advance(Duration.ofMinutes(1));
		assertThat(next.isHeld()).isTrue();
		this.here.store.silence(Command.RENEW);
		this.here.advance(Duration.ofMinutes(1));
		assertThat(next.isLost()).isTrue();
	}

	/** It ends nothing but itself: the caller that has the lock now keeps it. */
	@Test
	void leaseThatWasHandedOnMayBeClosedAgain() {
		Lease lease = turn(REQUEST, 2);
		lease.close();
		Lease next = next();
		lease.close();
		assertThat(next.isHeld()).isTrue();
		assertThat(this.here.store.isLocked("k")).isTrue();
	}

	@Test
	void instanceThatWaitsIsLetInAfterTheTurnWhereItIsOnlyWoken() {
		this.here = ManualInstance.withoutClaims();
		ManualInstance there = this.here.another();
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST));
		this.line.add(this.here.acquire(REQUEST));
		CompletableFuture<Lease> elsewhere = there.acquire(REQUEST);
		Held late = there.store.hold(Command.ACQUIRE);
		first.close();
		Lease lease = next();
		for (int i = 0; i < 9; i++) {
			this.line.add(this.here.acquire(REQUEST));
			lease.close();
			lease = this.line.peek().isDone() ? next() : null;
		}
		int asked = this.here.store.sent(Command.ACQUIRE);
		assertThat(lease).isNull();
		assertThat(this.here.store.isLocked("k")).isFalse();
		late.answer();
		assertThat(elsewhere).isCompleted();
		this.here.advance(Duration.ofMillis(5).minusNanos(1));
		assertThat(this.here.store.sent(Command.ACQUIRE)).isEqualTo(asked);
		this.here.advance(Duration.ofNanos(1));
		assertThat(this.here.store.sent(Command.ACQUIRE)).isEqualTo(asked + 1);
		elsewhere.join().close();
		this.here.runDue();
		assertThat(next().isHeld()).isTrue();
	}

	/** It is not an outage: another instance is let in. */
	@Test
	void callerWhoseBudgetEndsWhileOthersAreLetInIsToldBusy() {
		this.here = ManualInstance.withoutClaims();
		ManualInstance there = this.here.another();
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST));
		this.line.add(this.here.acquire(REQUEST));
		there.acquire(REQUEST);
		there.store.hold(Command.ACQUIRE);
		first.close();
		for (int i = 0; i < 3; i++) {
			this.line.add(this.here.acquire(REQUEST));
			next().close();
		}
		this.here.advance(Duration.ofMillis(1));
		CompletableFuture<Lease> brief = this.here.acquire(REQUEST.waitFor(Duration.ofMillis(2)));
		this.here.advance(Duration.ofMillis(2));
		assertThat(ManualInstance.failure(brief)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void instanceGoesOnAtOnceWhereNoOtherWaits() {
		Lease lease = turn(REQUEST, 2);
		for (int i = 0; i < 10; i++) {
			this.line.add(this.here.acquire(REQUEST));
			lease.close();
			lease = next();
		}
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void handOffsAreTold() {
		Lease lease = turn(REQUEST, 2);
		this.here.events.clear();
		lease.close();
		Lease next = next();
		assertThat(this.here.events).satisfiesExactly(
				(event) -> assertThat(event).isInstanceOfSatisfying(LockEvent.Released.class,
						(released) -> assertThat(released.fencingToken()).isEqualTo(lease.fencingToken())),
				(event) -> assertThat(event).isInstanceOfSatisfying(LockEvent.Acquired.class,
						(acquired) -> assertThat(acquired.fencingToken()).isEqualTo(next.fencingToken())));
	}

	@Test
	void noneIsHandedOnWhereThatIsOff() {
		this.here = ManualInstance.with(EngineSettings.DEFAULTS.withHandOff(false));
		Lease lease = turn(REQUEST, 3);
		int releases = this.here.store.sent(Command.RELEASE);
		lease.close();
		next().close();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases + 2);
		assertThat(this.here.store.asked()).allMatch((command) -> command.spareTokens() == 0);
	}

}
