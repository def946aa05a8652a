package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.Patience;
import io.distributedlock.TemplateLease;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.engine.internal.line.Waiter;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Requests that end before their body has run leave nothing behind and do not delay the
 * waiters behind them.
 */
class WaiterGivingUpTests {

	private static final LockRequest KEPT = LockRequest.of("k")
		.keepFor(Duration.ofHours(1))
		.waitFor(Duration.ofSeconds(10));

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	private final ScriptedStore store = this.here.store;

	/** The first keys stayed kept although the last one was busy and nothing ran. */
	@Test
	void severalKeysOfWhichOneIsBusyKeepNone() {
		this.there.acquire(LockRequest.of("c"));
		CompletableFuture<Lease> all = this.here
			.acquire(LockRequest.ofAll("a", "b", "c").keepFor(Duration.ofHours(1)).waitFor(Duration.ZERO));
		this.here.advance(Duration.ofSeconds(1));
		assertThat(ManualInstance.failure(all)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.store.isLocked("a")).isFalse();
		assertThat(this.store.isLocked("b")).isFalse();
	}

	/** It was released by the queue that was left, and stayed taken in its own. */
	@Test
	void waiterThatGivesUpInALockOfAnotherQueueReleasesItThere() {
		Hold entered = ((GrantLease) this.here.acquire(LockRequest.of("k")).join()).hold;
		Waiter waiter = this.here.enter(LockRequest.of("other"));
		Waiter late = new Waiter(this.here.engine.instance, waiter.keys, waiter.terms, null, 0, Waiter.FOREVER);
		QueueView.join(late, waiter);
		late.entering(entered);
		assertThat(this.here.engine.queues.giveUp(late, IllegalStateException::new)).isTrue();
		assertThat(this.here.acquire(LockRequest.of("k"))).isCompleted();
	}

	@Test
	void waiterThatIsWatchedTwiceHasOneTimer() {
		Waiter like = this.here.enter(LockRequest.of("k"));
		Waiter waiter = new Waiter(this.here.engine.instance, like.keys, like.terms, null, 0, Waiter.FOREVER);
		int before = this.here.engine.instance.timers.size();
		QueueView.watch(waiter);
		QueueView.watch(waiter);
		assertThat(this.here.engine.instance.timers.size()).isEqualTo(before + 1);
		waiter.settle(IllegalStateException::new);
		assertThat(this.here.engine.instance.timers.size()).isEqualTo(before);
	}

	/** An error came after the lock: the lease was dropped, and given all the same. */
	@Test
	void waiterThatIsDismissedAfterTheGrantGetsNoLease() throws InterruptedException {
		Waiter waiter = this.here.enter(LockRequest.of("k"));
		this.here.engine.queues.dismiss(waiter, () -> new IllegalStateException("dismissed"));
		assertThat(this.store.isLocked("k")).isFalse();
		assertThatThrownBy(() -> this.here.engine.queues.await(waiter, false)).hasMessage("dismissed");
	}

	/** A later copy of the command got the lock, with no caller behind it. */
	@Test
	void singleTryThatMayHaveBeenSentTwiceIsEnded() {
		this.there.acquire(LockRequest.of("k")).join();
		CompletableFuture<Lease> quick = this.here.acquire(LockRequest.of("k").waitFor(Duration.ZERO));
		assertThat(ManualInstance.failure(quick)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.store.sent(ScriptedStore.Command.ABANDON)).isZero();
		ScriptedStore.Held attempt = this.store.hold(ScriptedStore.Command.ACQUIRE);
		CompletableFuture<Lease> late = this.here.acquire(LockRequest.of("k").waitFor(Duration.ZERO));
		this.here.advance(Duration.ofMillis(40));
		attempt.answer();
		this.here.advance(Duration.ofMillis(1));
		assertThat(ManualInstance.failure(late)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(this.store.sent(ScriptedStore.Command.ABANDON)).isOne();
	}

	/** The same for a caller that blocks. */
	@Test
	void severalKeysOfWhichOneIsBusyKeepNoneForACallerThatBlocks() {
		ScriptedStore real = new ScriptedStore();
		try (DefaultLockRegistry mine = new DefaultLockRegistry(real);
				DefaultLockRegistry other = new DefaultLockRegistry(new ScriptedStore(real.locks()))) {
			try (Lease busy = other.acquire(LockRequest.of("c"))) {
				assertThat(mine.tryAcquire(LockRequest.ofAll("a", "b", "c").keepFor(Duration.ofHours(1)))).isEmpty();
				assertThat(busy.isHeld()).isTrue();
			}
			assertThat(real.isLocked("a")).isFalse();
			assertThat(real.isLocked("b")).isFalse();
		}
	}

	/** The future used to stay incomplete for ever. */
	@Test
	void callerIsToldAlsoWhereItsExceptionCannotBeMade() {
		Lease held = this.there.acquire(LockRequest.of("k")).join();
		LinkageError error = new LinkageError("not loaded");
		this.here.onEvent = (event) -> {
			throw error;
		};
		CompletableFuture<Lease> busy = this.here.acquire(LockRequest.of("k").waitFor(Duration.ZERO));
		assertThat(ManualInstance.failure(busy)).isSameAs(error);
		held.close();
		assertNothingLeft();
	}

	/** Readers came in between the end of the one request and the other one. */
	@Test
	void writerThatGivesUpLeavesItsWaiterEntryToTheNext() {
		LockRequest writing = LockRequest.of("k").mode(LockMode.EXCLUSIVE);
		LockRequest reading = writing.mode(LockMode.READ).waitFor(Duration.ofHours(1));
		Lease read = this.there.acquire(reading).join();
		this.here.acquire(writing.ttl(Duration.ofSeconds(9)).waitFor(Duration.ofMillis(50)));
		this.here.acquire(writing.ttl(Duration.ofSeconds(8)).waitFor(Duration.ofMillis(100)));
		CompletableFuture<Lease> reader = this.there.acquire(reading);
		this.here.advance(Duration.ofMillis(99));
		assertThat(reader).isNotDone();
		this.here.advance(Duration.ofMillis(2));
		reader.getNow(null).close();
		read.close();
		assertNothingLeft();
	}

	/** Guards the repair: a lock that was released after its body stays kept. */
	@Test
	void leaseThatIsReleasedStaysKept() {
		this.here.acquire(KEPT).join().close();
		assertThat(this.store.isLocked("k")).isTrue();
	}

	@Test
	void leaseThatIsDiscardedIsNotKept() {
		Lease lease = this.here.acquire(KEPT).join();
		assertThat(((TemplateLease) lease).discard()).isCompleted();
		assertThat(lease.release()).isCompleted();
		assertNothingLeft();
	}

	@Test
	void leaseOfSeveralKeysThatIsDiscardedIsNotKept() {
		Lease lease = this.here.acquire(LockRequest.ofAll("a", "b").keepFor(Duration.ofHours(1))).join();
		assertThat(((TemplateLease) lease).discard()).isCompleted();
		assertThat(this.store.isLocked("a") || this.store.isLocked("b")).isFalse();
		assertNothingLeft();
	}

	/** The loss of a lease that was never used is not reported. */
	@Test
	void lostLeaseThatIsDiscardedEndsQuietly() {
		Lease lease = this.here.acquire(KEPT).join();
		this.store.locks().remove("", "k");
		this.here.advance(Duration.ofSeconds(11));
		assertThat(lease.isHeld()).isFalse();
		assertThat(((TemplateLease) lease).discard()).isCompleted();
	}

	/**
	 * A body that ran under a lock counts, although its last hold was given up unused.
	 */
	@Test
	void usedLockStaysKeptWhenItsLastLeaseIsDiscarded() {
		this.there.acquire(LockRequest.of("l"));
		LockRequest request = KEPT.ownedBy("owner");
		Lease used = this.here.acquire(request).join();
		CompletableFuture<Lease> both = this.here
			.acquire(LockRequest.ofAll("k", "l").ownedBy("owner").waitFor(Duration.ofSeconds(10)));
		used.close();
		assertThat(both.cancel(true)).isTrue();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(this.here.engine.instance.heldCount()).isZero();
		assertThat(this.store.isLocked("k")).isTrue();
	}

	/** A caller whose owner could not be compared hung for ever. */
	@Test
	void callerWhoseOwnerThrowsIsToldSo() {
		DefaultLockRegistry registry = new DefaultLockRegistry(this.store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
		registry.acquire(LockRequest.of("k").ownedBy("owner"));
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		ManualInstance.startUntilStuck(() -> {
			try {
				registry.acquire(LockRequest.of("k").ownedBy(new IncomparableOwner()));
				outcome.complete(null);
			}
			catch (Throwable ex) {
				outcome.complete(ex);
			}
		});
		assertThat(outcome).succeedsWithin(Patience.CEILING)
			.asInstanceOf(InstanceOfAssertFactories.THROWABLE)
			.hasMessage("not comparable");
		registry.close();
	}

	/** A future whose owner could not be compared never ended, and kept its first key. */
	@Test
	void requestOfSeveralKeysWhoseOwnerThrowsFails() {
		ScriptedStore.Held first = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> both = this.here
			.acquire(LockRequest.ofAll("a", "b").ownedBy(new IncomparableOwner()).waitFor(Duration.ofSeconds(10)));
		this.here.acquire(LockRequest.of("b").ownedBy("owner")).join();
		first.answer();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(ManualInstance.failure(both)).hasMessage("not comparable");
		assertThat(this.store.isLocked("a")).isFalse();
	}

	/** The exception went to the caller, who had asked for a future. */
	@Test
	void requestOfSeveralKeysWhoseOwnerThrowsAtOnceFails() {
		this.store.takeTogether();
		this.here.acquire(LockRequest.of("b").ownedBy("owner")).join();
		CompletableFuture<Lease> both = this.here.acquire(LockRequest.ofAll("a", "b").ownedBy(new IncomparableOwner()));
		assertThat(ManualInstance.failure(both)).hasMessage("not comparable");
		assertThat(this.store.isLocked("a")).isFalse();
	}

	/** The owner was compared with a missing owner, for several keys only. */
	@Test
	void requestOfSeveralKeysBehindALockWithoutOwnerWaits() {
		this.store.takeTogether();
		this.here.acquire(LockRequest.of("b")).join();
		CompletableFuture<Lease> both = this.here.acquire(LockRequest.ofAll("a", "b").ownedBy(new IncomparableOwner()));
		assertThat(both).isNotDone();
		both.cancel(true);
	}

	/** An exception on the way to the second key left the first one locked. */
	@Test
	void requestOfSeveralKeysThatFailsReleasesTheKeysItHas() {
		ScriptedStore.Held first = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> both = this.here.acquire(LockRequest.ofAll("a", "b").waitFor(Duration.ofSeconds(10)));
		int readingOfTheSecondAttempt = 3;
		this.here.clock.onReading(readingOfTheSecondAttempt, WaiterGivingUpTests::fail);
		first.answer();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(ManualInstance.failure(both)).hasStackTraceContaining("unexpected");
		assertThat(this.store.isLocked("a")).isFalse();
		assertNothingLeft();
	}

	/** The same for the first key. */
	@Test
	void requestThatCannotBeginFailsAndLeavesNothing() {
		this.here.clock.onReading(1, WaiterGivingUpTests::fail);
		CompletableFuture<Lease> future = this.here.acquire(LockRequest.of("k"));
		assertThat(ManualInstance.failure(future)).hasStackTraceContaining("unexpected");
		assertNothingLeft();
	}

	/** A lock whose future was cancelled just after it was given stayed kept. */
	@Test
	void cancelThatComesAfterTheLockWasGivenKeepsNothing() {
		this.here.holdCallbacks();
		CompletableFuture<Lease> future = this.here.acquire(KEPT);
		assertThat(this.store.isLocked("k")).isTrue();
		assertThat(future.cancel(true)).isTrue();
		this.here.runCallbacks();
		this.here.advance(Duration.ofSeconds(1));
		assertNothingLeft();
	}

	@Test
	void cancelDuringTheAttemptKeepsNothing() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> future = this.here.acquire(KEPT);
		assertThat(future.cancel(true)).isTrue();
		attempt.answer();
		this.here.advance(Duration.ofSeconds(1));
		assertNothingLeft();
	}

	/** An interrupt that came while the lock was being given left it kept. */
	@Test
	void interruptThatComesWhileTheLockIsGivenKeepsNothing() throws Exception {
		int interrupted = 0;
		int reading = 1;
		while (interruptAtReadingOfTheClock(reading)) {
			interrupted++;
			reading++;
		}
		assertThat(interrupted).isPositive();
	}

	private boolean interruptAtReadingOfTheClock(int reading) throws Exception {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		AtomicReference<Object> outcome = new AtomicReference<>();
		Thread waiting = ManualInstance.startUntilStuck(() -> {
			try {
				outcome.set(this.here.acquireBlocking(KEPT));
			}
			catch (InterruptedException ex) {
				outcome.set(ex);
			}
		});
		attempt.awaitSent();
		this.here.clock.onReading(reading, () -> {
			waiting.interrupt();
			ManualInstance.awaitStuck(waiting);
		});
		attempt.answer();
		boolean hooked = !this.here.clock.unhook();
		ManualInstance.join(waiting);
		if (hooked) {
			assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
			this.here.advance(Duration.ofSeconds(1));
			assertThat(this.store.isLocked("k")).as("kept after an interrupt at reading %d", reading).isFalse();
			assertNothingLeft();
		}
		return hooked;
	}

	/**
	 * A waiter that took over the attempt of a caller without budget had no entry in the
	 * store.
	 */
	@Test
	void waiterThatTakesOverTheAttemptOfACallerWithoutBudgetIsWokenUp() {
		Lease held = this.there.acquire(LockRequest.of("k")).join();
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> once = this.here.acquire(LockRequest.of("k").waitFor(Duration.ZERO));
		CompletableFuture<Lease> waiting = this.here.acquire(LockRequest.of("k").waitFor(Duration.ofSeconds(30)));
		assertThat(once.cancel(true)).isTrue();
		attempt.answer();
		this.here.runDue();
		held.close();
		this.here.runDue();
		assertThat(waiting).isCompleted();
		assertThat(waiting.join().isHeld()).isTrue();
	}

	private static void fail() {
		throw new AssertionError("unexpected");
	}

	private void assertNothingLeft() {
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(this.here.engine.instance.heldCount()).isZero();
		assertThat(this.here.engine.queues.index.size()).isZero();
		assertThat(this.here.engine.instance.backgroundCount()).isZero();
		assertThat(this.here.engine.instance.timers.size()).isZero();
	}

	private static final class IncomparableOwner {

		@Override
		public boolean equals(Object other) {
			throw new IllegalStateException("not comparable");
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

}
