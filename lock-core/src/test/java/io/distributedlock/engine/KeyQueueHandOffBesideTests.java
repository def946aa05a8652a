package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.Ownership;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Events beside a turn: clocks that jump, renewals, the shutdown, other modes.
 */
class KeyQueueHandOffBesideTests extends HandOffTurn {

	@Test
	void restoredWhileHandedOn() {
		Lease lease = turn(REQUEST, 3);
		lease.close();
		Lease second = at(1);
		this.here.engine.restored();
		this.here.runDue();
		assertThat(second.isLost()).isTrue();
		assertThat(losses()).extracting(LockEvent.Lost::reason).containsExactly(LossReason.RESTORED);
		second.release();
		assertThat(this.line.get(2)).isNotDone();
		this.here.advance(Duration.ofMinutes(2));
		assertThat(at(2).isHeld()).isTrue();
		assertThat(at(2).fencingToken()).isGreaterThan(second.fencingToken());
	}

	@Test
	void jumpThatIsSeenFirstAtTheHandOff() {
		Lease lease = turn(REQUEST, 3);
		this.here.clock.suspend(Duration.ofMinutes(5));
		this.here.store.locks().remove("", "k");
		Lease other = this.here.another().acquire(REQUEST).join();
		lease.release();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(this.line.get(1)).isNotDone();
		other.release();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(at(1).isHeld()).isTrue();
	}

	@Test
	void jumpAfterTheHandOff() {
		Lease lease = turn(REQUEST, 3);
		lease.close();
		this.here.clock.suspend(Duration.ofMinutes(5));
		assertThat(at(1).isHeld()).isFalse();
		this.here.runDue();
		assertThat(at(1).isHeld()).isTrue();
		at(1).close();
		this.here.advance(Duration.ofSeconds(2));
		assertThat(at(2).isHeld()).isTrue();
	}

	/** Its answer was for the one before, who is not there any more. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void renewalOnItsWayWhileHandedOn(boolean confirmed) {
		Lease lease = turn(REQUEST, 3);
		Held renewal = this.here.store.hold(Command.RENEW);
		this.here.engine.instance.clock.distrust();
		this.here.runDue();
		assertThat(renewal.isSent()).isTrue();
		lease.release();
		if (confirmed) {
			renewal.answer();
		}
		else {
			renewal.answer(List.of(Ownership.LOST));
		}
		this.here.advance(Duration.ofSeconds(2));
		assertThat(at(1).isHeld()).isTrue();
	}

	@Test
	void shutdownEndsTheTurn() {
		Lease lease = turn(REQUEST, 3);
		lease.close();
		Lease second = at(1);
		this.here.engine.stopHandingOut();
		assertThat(ManualInstance.failure(this.line.get(2))).isInstanceOf(LockRegistryClosedException.class);
		second.close();
		assertThat(this.here.store.isLocked("k")).isFalse();
	}

	@Test
	void callerThatComesBeforeTheHandOffIsBehindThoseInLine() {
		Lease lease = turn(REQUEST, 2);
		CompletableFuture<Lease> eager = this.here.acquire(REQUEST.waitFor(Duration.ZERO));
		assertThat(ManualInstance.failure(eager)).isInstanceOf(LockNotAcquiredException.class);
		lease.close();
		assertThat(at(1).isHeld()).isTrue();
	}

	@Test
	void fairWaiterOfAnotherInstanceIsServedAfterTheTurn() {
		ManualInstance there = this.here.another();
		Lease lease = turn(REQUEST, 10);
		CompletableFuture<Lease> fair = there.acquire(REQUEST.mode(LockMode.FAIR));
		for (int i = 1; i < 10 && !fair.isDone(); i++) {
			this.here.clock.advance(Duration.ofMillis(3));
			lease.close();
			if (!this.line.get(i).isDone()) {
				break;
			}
			lease = at(i);
		}
		there.runDue();
		assertThat(fair).isCompleted();
		assertThat(fair.join().fencingToken()).isGreaterThan(lease.fencingToken());
		fair.join().close();
		there.runDue();
	}

	@Test
	void severalKeysAndOneOfThemInATurn() {
		Lease lease = turn(REQUEST, 4);
		CompletableFuture<Lease> both = this.here.acquire(LockRequest.ofAll("a", "k").waitFor(Duration.ofHours(1)));
		this.line.add(both);
		for (int i = 1; i < 4; i++) {
			lease.close();
			this.here.advance(Duration.ofMillis(1));
			lease = at(i);
		}
		lease.close();
		this.here.advance(Duration.ofSeconds(3));
		assertThat(both).isCompleted();
		assertThat(both.join().fencingToken("k")).isGreaterThan(lease.fencingToken());
	}

	@Test
	void droppedLeaseInALineOfBlockedThreads() throws Exception {
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST));
		List<String> got = java.util.Collections.synchronizedList(new ArrayList<>());
		Thread interrupted = ManualInstance.startUntilStuck(() -> {
			try {
				this.here.acquireBlocking(REQUEST).close();
				got.add("lease");
			}
			catch (InterruptedException ex) {
				got.add("interrupted");
			}
		});
		this.line.add(this.here.acquire(REQUEST));
		first.close();
		Lease lease = at(0);
		interrupted.interrupt();
		lease.close();
		ManualInstance.join(interrupted);
		assertThat(got).hasSize(1);
		this.here.advance(Duration.ofMillis(10));
		assertThat(at(1).isHeld()).isTrue();
	}

	@Test
	void releaseIsDoneAtTheHandOff() {
		Lease lease = turn(REQUEST, 2);
		this.here.store.silence(Command.RELEASE);
		CompletableFuture<Void> released = lease.release().toCompletableFuture();
		assertThat(released).isCompleted();
		assertThat(lease.release().toCompletableFuture()).isCompleted();
		assertThat(at(1).isHeld()).isTrue();
	}

	@Test
	void acquisitionWhoseAnswerComesLateBeginsNoTurn() {
		LockRequest request = REQUEST.ttl(Duration.ofSeconds(2)).renew(false);
		Lease first = this.here.acquire(request).join();
		for (int i = 0; i < 4; i++) {
			this.line.add(this.here.acquire(request));
		}
		Held late = this.here.store.hold(Command.ACQUIRE);
		first.close();
		this.here.clock.advance(Duration.ofMillis(1900));
		late.answer();
		Lease lease = at(0);
		lease.close();
		assertThat(at(1).remaining()).isGreaterThan(Duration.ofMillis(1800));
	}

	@Test
	void missedReplicasHandNothingOn() {
		Lease first = this.here.acquire(REQUEST).join();
		for (int i = 0; i < 3; i++) {
			this.line.add(this.here.acquire(REQUEST));
		}
		this.here.store.miss();
		first.close();
		this.here.advance(Duration.ofSeconds(5));
		long done = this.line.stream().filter(CompletableFuture::isDone).count();
		assertThat(done).isPositive();
		this.line.stream()
			.filter(CompletableFuture::isDone)
			.filter((each) -> !each.isCompletedExceptionally())
			.forEach((each) -> assertThat(each.join().isHeld()).isTrue());
	}

	@Test
	void cancelledFutureIsNotALease() {
		Lease lease = turn(REQUEST, 2);
		this.line.get(1).cancel(false);
		lease.close();
		assertThat(this.here.store.isLocked("k")).isFalse();
		assertThat(ManualInstance.failure(this.line.get(1))).isInstanceOf(CancellationException.class);
	}

}
