package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of fair locks, whose waiters are served in the order of their requests, on
 * every store.
 */
public abstract class FairLockContractTests extends TwoInstances {

	protected FairLockContractTests(SharedLocks locks) {
		super(locks);
	}

	private LockRequest fair() {
		return request().mode(LockMode.FAIR).waitFor(LONG);
	}

	private LockRequest fairOnce() {
		return fair().waitFor(Duration.ZERO);
	}

	private CompletableFuture<Lease> ask(DefaultLockRegistry registry, LockRequest request) {
		int queues = registry.engine().queues.index.size();
		CompletableFuture<Lease> asked = registry.acquireAsync(request).toCompletableFuture();
		await().until(() -> asked.isDone() || isWaiting(registry, queues + 1));
		return asked;
	}

	/** An instance whose waiter entries last a minute unless they are removed. */
	private DefaultLockRegistry patient() {
		return registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO)
			.withPollInterval(EngineSettings.MAX_POLL_INTERVAL));
	}

	@Test
	void waitersOfTwoInstancesAreServedInTheOrderInWhichTheyCame() throws Exception {
		Lease last = this.here.acquire(fair());
		List<CompletableFuture<Lease>> line = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			line.add(ask((i % 3 == 0) ? this.there : this.here, fair()));
		}
		for (CompletableFuture<Lease> next : line) {
			assertThat(line.subList(line.indexOf(next), line.size())).noneMatch(CompletableFuture::isDone);
			last.close();
			Lease got = next.get();
			assertThat(got.fencingToken()).isGreaterThan(last.fencingToken());
			last = got;
		}
		last.close();
		awaitUnused();
	}

	@Test
	void waitersOnSeveralKeysAreServedInTheOrderInWhichTheyCame() throws Exception {
		LockRequest both = LockRequest.ofAll(this.key, this.key + "-2").mode(LockMode.FAIR).waitFor(LONG);
		Lease held = this.here.acquire(fair());
		CompletableFuture<Lease> first = ask(this.there, both);
		CompletableFuture<Lease> second = ask(this.here,
				LockRequest.of(this.key + "-2").mode(LockMode.FAIR).waitFor(LONG));
		CompletableFuture<Lease> third = ask(this.here, both);
		assertThat(second).isNotDone();
		held.close();
		Lease got = first.get();
		assertThat(second).isNotDone();
		got.close();
		Lease next = second.get();
		assertThat(third).isNotDone();
		next.close();
		third.get().close();
		awaitUnused();
	}

	@Test
	void threadsOfTwoInstancesExcludeEachOther() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? this.here : this.there;
			LockRequest wanted = (i < 6) ? fair() : request().waitFor(LONG);
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < 25; round++) {
					try (Lease lease = registry.acquire(wanted)) {
						assertThat(inside.incrementAndGet()).isOne();
						Thread.yield();
						inside.decrementAndGet();
					}
				}
				return null;
			}));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
		awaitUnused();
	}

	@Test
	void waitersThatHaveDiedCostThreeSecondsInAll() throws Exception {
		Lease held = this.here.acquire(fair());
		long died = System.nanoTime();
		try (LockStore dead = createStore()) {
			RequestIds ids = new RequestIds();
			dead.start(ids.instance(), new Deaf());
			for (int i = 0; i < 5; i++) {
				AcquireCommand command = new AcquireCommand(List.of(new LockKey("", this.key)), ids.nextBeside(),
						LockMode.FAIR, 0, null, LONG, Duration.ZERO, Duration.ofSeconds(3), 0, false);
				assertThat(dead.acquire(command).get()).isInstanceOf(AcquireOutcome.Busy.class);
			}
		}
		CompletableFuture<Lease> living = ask(this.there, fair());
		held.close();
		living.get().close();
		// All of them, one after the other, would cost fifteen.
		assertThat(Duration.ofNanos(System.nanoTime() - died)).isBetween(Duration.ofMillis(2500),
				Duration.ofMillis(14_900));
		awaitUnused();
	}

	@Test
	void waiterKeepsItsPlaceLongerThanADeadOneWould() throws Exception {
		Lease held = this.here.acquire(fair());
		CompletableFuture<Lease> first = ask(this.there, fair());
		CompletableFuture<Lease> second = ask(this.here, fair());
		long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
		await().until(() -> System.nanoTime() > end);
		held.close();
		Lease got = first.get();
		assertThat(second).isNotDone();
		got.close();
		second.get().close();
	}

	@Test
	void callerThatTriesOnceOrIsNotFairDoesNotOvertake() throws Exception {
		Lease held = this.here.acquire(fair());
		CompletableFuture<Lease> first = ask(this.there, fair());
		CompletableFuture<Lease> plain = ask(this.there, request().waitFor(LONG));
		CompletableFuture<Lease> second = ask(this.here, fair());
		assertThat(this.here.tryAcquire(fairOnce())).isEmpty();
		held.close();
		Lease got = first.get();
		assertThat(plain).isNotDone();
		got.close();
		Lease next = second.get();
		assertThat(plain).isNotDone();
		next.close();
		plain.get().close();
		this.here.acquire(fairOnce()).close();
		awaitUnused();
	}

	@Test
	void waiterWhoGivesUpLetsTheNextOneForward() throws Exception {
		Lease held = this.here.acquire(fair());
		try (DefaultLockRegistry patient = patient()) {
			CompletableFuture<Lease> cancelled = ask(patient, fair());
			Future<?> interrupted = this.threads.submit(() -> {
				try {
					patient.acquireInterruptibly(fair(), false);
					throw new AssertionError("Not interrupted");
				}
				catch (InterruptedException ex) {
					return null;
				}
			});
			awaitWaiting(patient, 2);
			CompletableFuture<Lease> tooLate = ask(patient, fair().waitFor(IN_VAIN));
			CompletableFuture<Lease> next = ask(this.here, fair());
			cancelled.cancel(true);
			this.threads.shutdownNow();
			interrupted.get();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> tooLate.get())
				.withCauseInstanceOf(LockNotAcquiredException.class);
			await().until(() -> patient.engine().instance.backgroundCount() == 0);
			held.close();
			next.get().close();
		}
		awaitUnused();
	}

	@Test
	void headThatGivesUpAWhileAfterTheReleaseDoesNotHoldUpTheNextOne() throws Exception {
		for (int round = 0; round < 20; round++) {
			Lease held = this.here.acquire(fair());
			CompletableFuture<Lease> head = ask(this.there, fair());
			CompletableFuture<Lease> next = ask(this.here, fair());
			Future<?> released = this.threads.submit(held::close);
			if (!head.cancel(true)) {
				head.get().close();
			}
			next.get().close();
			released.get();
			awaitUnused();
		}
	}

	@Test
	void ownerEntersAgainAheadOfThoseWhoWait() throws Exception {
		LockRequest mine = fairOnce().ownedByCurrentThread();
		Lease outer = this.here.acquire(mine);
		CompletableFuture<Lease> other = ask(this.there, fair());
		Lease inner = this.here.acquire(mine);
		Lease plain = this.here.acquire(once().ownedByCurrentThread());
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken()).isEqualTo(plain.fencingToken());
		outer.close();
		inner.close();
		assertThat(other).isNotDone();
		plain.close();
		other.get().close();
		awaitUnused();
	}

	@Test
	void closedRegistryLeavesNoPlaceInTheLine() throws Exception {
		Lease held = this.here.acquire(fair());
		DefaultLockRegistry patient = patient();
		CompletableFuture<Lease> closed = ask(patient, fair());
		CompletableFuture<Lease> next = ask(this.here, fair());
		patient.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> closed.get())
			.withCauseInstanceOf(LockRegistryClosedException.class);
		held.close();
		next.get().close();
	}

	/** Does not hear a wake-up. */
	private static final class Deaf implements WakeUpListener {

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUp(String encodedKey, String request) {
		}

		@Override
		public void wakeUpAll() {
		}

	}

}
