package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An owner enters again while its lock is released or its lease is extended.
 */
class ReentranceRaceTests {

	private static final LockRequest REQUEST = LockRequest.of("k").ownedBy("owner");

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	/**
	 * An owner that entered between the last exit and the release got a lease that had
	 * ended.
	 */
	@Test
	void ownerWhenItEntersWhileItsLastLeaseClosesGetsAValidLease() {
		int moments = 0;
		while (enterAtReadingOfTheClock(moments + 1)) {
			moments++;
		}
		assertThat(moments).isPositive();
	}

	private boolean enterAtReadingOfTheClock(int reading) {
		Lease last = this.instance.acquire(REQUEST).join();
		AtomicReference<CompletableFuture<Lease>> entered = new AtomicReference<>();
		AtomicReference<Thread> other = new AtomicReference<>();
		this.instance.clock.onReading(reading,
				() -> other.set(ManualInstance.startUntilStuck(() -> entered.set(this.instance.acquire(REQUEST)))));
		last.close();
		if (this.instance.clock.unhook()) {
			return false;
		}
		ManualInstance.join(other.get());
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(entered.get()).as("entered at reading %d", reading).isCompleted();
		Lease lease = entered.get().join();
		assertThat(lease.isHeld()).as("held when entered at reading %d", reading).isTrue();
		assertThat(this.store.isLocked("k")).isTrue();
		lease.close();
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(this.instance.engine.instance.heldCount()).isZero();
		assertThat(this.instance.engine.queues.index.size()).isZero();
		return true;
	}

	/** The same by chance, with threads that share an owner. */
	@Test
	void leaseOfAnOwnerOfSeveralThreadsIsNeverOverWhenItIsHandedOut() throws Exception {
		AtomicInteger over = new AtomicInteger();
		AtomicInteger failed = new AtomicInteger();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new ScriptedStore())) {
			long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				all.add(this.threads.submit(() -> {
					while (System.nanoTime() < end) {
						enterAndLeave(registry, over, failed);
					}
				}));
			}
			for (Future<?> one : all) {
				one.get();
			}
		}
		assertThat(over).as("leases that were over when they were handed out").hasValue(0);
		assertThat(failed).as("acquisitions and releases that failed").hasValue(0);
	}

	private static void enterAndLeave(DefaultLockRegistry registry, AtomicInteger over, AtomicInteger failed) {
		try (Lease lease = registry.acquire(REQUEST.waitFor(Duration.ofSeconds(20)))) {
			if (!lease.isHeld()) {
				over.incrementAndGet();
			}
		}
		catch (LockException ex) {
			failed.incrementAndGet();
		}
	}

	/** Guards the repair: a lock that is being released is not entered again. */
	@Test
	void ownerWhenItEntersDuringTheReleaseWaitsForALockOfItsOwn() throws Exception {
		Lease last = this.instance.acquire(REQUEST).join();
		ScriptedStore.Held release = this.store.hold(Command.RELEASE);
		Future<?> closing = this.threads.submit(last::close);
		release.awaitSent();
		CompletableFuture<Lease> entered = this.instance.acquire(REQUEST);
		assertThat(entered).isNotDone();
		release.answer();
		closing.get();
		this.instance.runDue();
		assertThat(entered.join().isHeld()).isTrue();
		assertThat(entered.join().fencingToken()).isGreaterThan(last.fencingToken());
	}

	/** A hold that asked for renewal of a lease without it was lost after its ttl. */
	@Test
	void innerHoldThatWantsRenewalWhenOuterDoesNotIsRenewed() {
		LockRequest request = REQUEST.ttl(Duration.ofSeconds(3));
		this.instance.acquire(request.renew(false)).join();
		Lease inner = this.instance.acquire(request.renew(true)).join();
		for (int i = 0; i < 30; i++) {
			this.instance.advance(Duration.ofMillis(500));
			assertThat(inner.isHeld()).as("after %d half seconds", i).isTrue();
		}
		assertThat(this.store.isLocked("k")).isTrue();
	}

	/** The budget of a hold that needed a longer lease did not count. */
	@Test
	void lengtheningWhenTheStoreIsSilentEndsWithTheBudget() {
		Lease outer = this.instance.acquire(REQUEST).join();
		this.store.silence(Command.RENEW);
		CompletableFuture<Lease> inner = this.instance
			.acquire(REQUEST.ttl(Duration.ofSeconds(60)).waitFor(Duration.ofMillis(10)));
		this.instance.advance(Duration.ofMillis(9));
		assertThat(inner).isNotDone();
		this.instance.advance(Duration.ofMillis(2));
		assertThat(ManualInstance.failure(inner)).isInstanceOf(LockException.class);
		assertOnlyHold(outer);
	}

	/** A caller that does not wait gets the answer to its one attempt all the same. */
	@Test
	void lengtheningWithoutBudgetWaitsForItsOneAttempt() {
		Lease outer = this.instance.acquire(REQUEST).join();
		ScriptedStore.Held renewal = this.store.hold(Command.RENEW);
		CompletableFuture<Lease> inner = this.instance
			.acquire(REQUEST.ttl(Duration.ofSeconds(60)).waitFor(Duration.ZERO));
		this.instance.advance(Duration.ofMillis(5));
		renewal.answer();
		assertThat(inner).isCompletedWithValueMatching(Lease::isHeld);
		inner.join().close();
		assertOnlyHold(outer);
	}

	/** An interrupt did not end the wait for a longer lease. */
	@Test
	void lengtheningWhenInterruptedEnds() throws Exception {
		Lease outer = this.instance.acquire(REQUEST).join();
		ScriptedStore.Held renewal = this.store.hold(Command.RENEW);
		CompletableFuture<Object> outcome = new CompletableFuture<>();
		Thread waiting = ManualInstance.startUntilStuck(() -> {
			try {
				outcome.complete(this.instance
					.acquireBlocking(REQUEST.ttl(Duration.ofSeconds(60)).waitFor(Duration.ofSeconds(30))));
			}
			catch (Throwable ex) {
				outcome.complete(ex);
			}
		});
		renewal.awaitSent();
		waiting.interrupt();
		assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
		renewal.answer();
		assertOnlyHold(outer);
	}

	private void assertOnlyHold(Lease lease) {
		this.store.heal();
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(this.instance.engine.instance.heldCount()).isZero();
	}

}
