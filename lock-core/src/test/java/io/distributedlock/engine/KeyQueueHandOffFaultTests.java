package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.Searches;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.event.LockEvent;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults beside a hand-off are noticed in time.
 */
class KeyQueueHandOffFaultTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofHours(1));

	/** The read lock is asked for beside a request that another caller has by then. */
	@Test
	void readerIsNotLetInBesideTheCallerThatTheLockWasHandedOnTo() {
		ManualInstance here = new ManualInstance();
		Lease first = here.acquire(REQUEST).join();
		Owner owner = new Owner();
		CompletableFuture<Lease> second = here.acquire(REQUEST.ownedBy(owner));
		CompletableFuture<Lease> third = here.acquire(REQUEST);
		CompletableFuture<Lease> fourth = here.acquire(REQUEST);
		first.close();
		Owner same = new Owner();
		same.whenCompared = () -> second.join().close();
		CompletableFuture<Lease> reader = here.acquire(REQUEST.mode(LockMode.READ).ownedBy(same));
		assertThat(third).isCompleted();
		assertThat(third.join().isHeld() && reader.isDone() && reader.join().isHeld()).as("two holders").isFalse();
		assertThat(fourth).isNotDone();
	}

	private static final class Owner {

		private Runnable whenCompared;

		@Override
		public boolean equals(Object other) {
			Runnable once = this.whenCompared;
			if (once != null) {
				this.whenCompared = null;
				once.run();
			}
			return other instanceof Owner;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	@Test
	void callerWhoseBudgetEndsInThePauseFindsTheLockBusy() {
		ManualInstance here = ManualInstance.withoutClaims();
		ManualInstance there = here.another();
		Queue<CompletableFuture<Lease>> line = new ArrayDeque<>();
		Lease lease = here.acquire(REQUEST).join();
		for (int i = 0; i < 6; i++) {
			line.add(here.acquire(REQUEST));
		}
		CompletableFuture<Lease> elsewhere = there.acquire(REQUEST);
		there.store.hold(Command.ACQUIRE);
		while (lease != null) {
			line.add(here.acquire(REQUEST));
			lease.close();
			CompletableFuture<Lease> next = line.peek();
			lease = next.isDone() ? line.remove().join() : null;
		}
		assertThat(elsewhere).isNotDone();
		here.advance(Duration.ofMillis(1));
		CompletableFuture<Lease> brief = here.acquire(REQUEST.waitFor(Duration.ofMillis(2)));
		here.advance(Duration.ofMillis(2));
		assertThat(ManualInstance.failure(brief)).isInstanceOf(LockNotAcquiredException.class);
	}

	/** Turns that end early, since every other caller wants another lease. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void tokenIsNotAheadOfTheClockWhenTheKeyIsLost(boolean handOff) {
		ManualInstance here = ManualInstance.with(EngineSettings.DEFAULTS.withHandOff(handOff));
		here.clock.advance(Duration.ofDays(1));
		Queue<CompletableFuture<Lease>> line = new ArrayDeque<>();
		Lease lease = here.acquire(REQUEST).join();
		for (int i = 0; i < 900; i++) {
			line.add(here.acquire((i % 2 == 0) ? REQUEST : REQUEST.ttl(Duration.ofSeconds(20))));
		}
		for (int i = 0; i < 300; i++) {
			here.clock.advance(Duration.ofNanos(200_000));
			lease.close();
			here.runDue();
			lease = line.remove().join();
		}
		here.store.locks().remove("", "k");
		here.clock.advance(Duration.ofMillis(1));
		assertThat(here.another().acquire(REQUEST).join().fencingToken()).isGreaterThan(lease.fencingToken());
	}

	/** As docs/fencing.md says: the caller asks no store. A fence refuses its token. */
	@Test
	void callerOfATurnHasAnOlderTokenOnlyWhileTheTurnLasts() {
		ManualInstance here = new ManualInstance();
		ManualInstance there = here.another();
		Lease before = there.acquire(REQUEST).join();
		CompletableFuture<Lease> first = here.acquire(REQUEST);
		CompletableFuture<Lease> second = here.acquire(REQUEST);
		before.close();
		here.store.locks().remove("", "k");
		here.clock.advance(Duration.ofMillis(10));
		Lease newer = there.acquire(REQUEST).join();
		CompletableFuture<Lease> within = here.acquire(REQUEST);
		first.join().close();
		second.join().close();
		assertThat(within.join().fencingToken()).isLessThan(newer.fencingToken());
		here.clock.advance(QueueView.TURN.minusMillis(10));
		CompletableFuture<Lease> after = here.acquire(REQUEST);
		within.join().release();
		assertThat(after).isNotDone();
		newer.close();
		here.advance(EngineSettings.DEFAULTS.pollInterval());
		assertThat(after).isCompleted();
		assertThat(after.join().fencingToken()).isGreaterThan(newer.fencingToken());
	}

	/** They have an outcome, but have not left the line yet. */
	@Test
	void manyThatAreAboutToLeaveTheLineDoNotFillTheStack() throws Exception {
		ManualInstance here = new ManualInstance();
		List<Throwable> thrown = new CopyOnWriteArrayList<>();
		Thread thread = new Thread(null, () -> {
			try {
				LockRequest request = REQUEST.ttl(Duration.ofHours(1));
				Lease first = here.acquire(request).join();
				CompletableFuture<Lease> second = here.acquire(request);
				List<Waiter> leaving = new ArrayList<>();
				for (int i = 0; i < QueueView.MOST_HAND_OFFS - 2; i++) {
					leaving.add(here.enter(request));
				}
				first.close();
				leaving.forEach((waiter) -> waiter.settle(() -> new IllegalStateException("left")));
				second.join().close();
			}
			catch (Throwable ex) {
				thrown.add(ex);
			}
		}, "small", 512 * 1024);
		thread.start();
		thread.join();
		assertThat(thrown).isEmpty();
		assertThat(here.store.isLocked("k")).isFalse();
		assertThat(here.engine.instance.heldCount()).isZero();
	}

	/** A renewal that is sent between the look and the hand-off carries a mark. */
	@Test
	void renewalAtTheMomentOfTheHandOffLosesNothing() {
		ManualInstance here = new ManualInstance();
		Lease first = here.acquire(REQUEST).join();
		CompletableFuture<Lease> second = here.acquire(REQUEST);
		Waiter third = here.enter(REQUEST);
		first.close();
		Grant left = ((GrantLease) second.join()).hold.grant;
		left.markRenewal(here.clock.quietly());
		assertThat(QueueView.handOn(left, third, here.clock.quietly()))
			.as("the store knows a mark that this one does not")
			.isNull();
	}

	/** The same with threads. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void renewalsBesideHandOffsLoseNothing(boolean handOff) throws Exception {
		List<LockEvent> lost = new CopyOnWriteArrayList<>();
		DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(new MemoryLocks()),
				LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO).withHandOff(handOff),
				(event) -> {
					if (event instanceof LockEvent.Lost) {
						lost.add(event);
					}
				});
		LockRequest request = REQUEST.ttl(Duration.ofMinutes(5));
		long end = System.nanoTime() + Searches.share(5_000) * 1_000_000L;
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Thread thread = new Thread(() -> {
				while (System.nanoTime() < end && lost.isEmpty()) {
					try (Lease lease = registry.acquire(request)) {
						lease.fencingToken();
					}
					catch (RuntimeException ex) {
						return;
					}
				}
			});
			thread.start();
			threads.add(thread);
		}
		while (System.nanoTime() < end && lost.isEmpty()) {
			registry.engine().wakeUpAll();
			long pause = System.nanoTime() + ThreadLocalRandom.current().nextLong(100_000);
			while (System.nanoTime() < pause) {
				Thread.onSpinWait();
			}
		}
		registry.close();
		for (Thread thread : threads) {
			thread.join(10_000);
		}
		assertThat(lost).filteredOn((event) -> ((LockEvent.Lost) event).reason().name().equals("NOT_OWNER")).isEmpty();
	}

}
