package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.line.QueueView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The contract of permits, on every store.
 */
public abstract class SemaphoreContractTests extends TwoInstances {

	protected SemaphoreContractTests(SharedLocks locks) {
		super(locks);
	}

	private LockRequest permit(int permits) {
		return request().permits(permits).waitFor(LONG);
	}

	private LockRequest permitOnce(int permits) {
		return permit(permits).waitFor(Duration.ZERO);
	}

	@Test
	void permitsAreAcquiredAndReleasedOneByOne() {
		Lease first = this.here.acquire(permitOnce(3));
		Lease second = this.there.acquire(permitOnce(3));
		Lease third = this.here.acquire(permitOnce(3));
		assertThat(List.of(second.fencingToken(), third.fencingToken()))
			.allMatch((token) -> token > first.fencingToken());
		assertThat(this.here.tryAcquire(permitOnce(3))).isEmpty();
		assertThat(this.there.tryAcquire(permitOnce(3))).isEmpty();
		first.close();
		Lease fourth = this.there.acquire(permitOnce(3));
		assertThat(this.here.tryAcquire(permitOnce(3))).isEmpty();
		List.of(second, third, fourth).forEach(Lease::close);
		awaitUnused();
	}

	@Test
	void threadsOfTwoInstancesUseAllPermitsAndNeverMore() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch allTaken = new CountDownLatch(3);
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? this.here : this.there;
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < 40; round++) {
					try (Lease lease = registry.acquire(permit(3))) {
						int now = inside.incrementAndGet();
						assertThat(now).isLessThanOrEqualTo(3);
						most.accumulateAndGet(now, Math::max);
						allTaken.countDown();
						allTaken.await();
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
		assertThat(most).hasValue(3);
		awaitUnused();
	}

	@Test
	void everyReleaseServesAWaiterWhileOthersHoldPermits() throws Exception {
		List<Lease> held = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			held.add(this.there.acquire(permitOnce(3)));
		}
		List<CompletableFuture<Lease>> line = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			line.add(this.here.acquireAsync(permit(3)).toCompletableFuture());
		}
		awaitWaiting(this.here, 1);
		for (int i = 0; i < 3; i++) {
			assertThat(line.get(i)).isNotDone();
			long released = System.nanoTime();
			held.get(i).close();
			held.set(i, line.get(i).get());
			assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(LONG);
		}
		held.forEach(Lease::close);
		awaitUnused();
	}

	@Test
	void allWaitersAreServedWhenAllPermitsComeBackAtOnce() throws Exception {
		List<Lease> held = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			held.add(this.there.acquire(permitOnce(4)));
		}
		List<CompletableFuture<Lease>> line = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			line.add(this.here.acquireAsync(permit(4)).toCompletableFuture());
		}
		awaitWaiting(this.here, 1);
		held.forEach(Lease::release);
		for (CompletableFuture<Lease> waiter : line) {
			held.add(waiter.get());
		}
		held.forEach(Lease::close);
		awaitUnused();
	}

	@Test
	void permitsAreNotEnteredAgain() {
		LockRequest mine = permitOnce(2).ownedByCurrentThread();
		Lease first = this.here.acquire(mine);
		Lease second = this.here.acquire(mine);
		assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
		assertThat(this.here.tryAcquire(mine)).isEmpty();
		first.close();
		second.close();
		awaitUnused();
	}

	@Test
	void permitThatRunsOutIsLostAloneAndGoesToTheNext() throws Exception {
		Lease renewed = this.here.acquire(permitOnce(2).ttl(RENEWED));
		Lease brief = this.here.acquire(permitOnce(2).ttl(RENEWED).renew(false));
		Lease next = this.there.acquire(permit(2));
		assertThat(brief.isHeld()).isFalse();
		assertThat(renewed.isHeld()).isTrue();
		assertThat(this.there.tryAcquire(permitOnce(2))).isEmpty();
		assertThat(this.here.tryAcquire(permitOnce(2))).isEmpty();
		renewed.close();
		this.here.acquire(permitOnce(2)).close();
		next.close();
		await().until(() -> this.here.engine().instance.heldCount() == 0);
		// Or the place of the lost lease would be kept for a ttl and a command time-out.
		this.here.close();
		awaitUnused();
	}

	@Test
	void anotherNumberOfPermitsOrAnotherKindOfLockIsMisconfigured() {
		Lease held = this.here.acquire(permitOnce(2));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.there.acquire(permit(3)))
			.withMessageContaining("2")
			.withMessageContaining("3")
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.acquire(request().waitFor(LONG)))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		held.close();
		Lease lock = this.there.acquire(once());
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.acquire(permit(2)))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		lock.close();
		// The last of several nodes may not have heard yet that the lock is free.
		await().ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> {
			this.here.acquire(permitOnce(3)).close();
			return true;
		});
		awaitUnused();
	}

	@Test
	void permitsOfSeveralKeysAreTakenTogether() {
		String other = this.key + "-2";
		LockRequest both = LockRequest.ofAll(this.key, other).permits(2).waitFor(Duration.ZERO);
		Lease first = this.here.acquire(both);
		Lease second = this.there.acquire(permitOnce(2));
		assertThat(this.there.tryAcquire(both)).isEmpty();
		Lease third = this.there.acquire(LockRequest.of(other).permits(2).waitFor(Duration.ZERO));
		assertThat(this.here.tryAcquire(LockRequest.of(other).permits(2).waitFor(Duration.ZERO))).isEmpty();
		first.close();
		this.there.acquire(both).close();
		second.close();
		third.close();
		awaitUnused();
	}

	@Test
	void waitersWhoGiveUpTakeNoPermit() throws Exception {
		Lease first = this.there.acquire(permitOnce(1));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(permit(1).waitFor(IN_VAIN)));
		CompletableFuture<Lease> cancelled = this.here.acquireAsync(permit(1)).toCompletableFuture();
		awaitWaiting(this.here, 1);
		Future<?> interrupted = this.threads.submit(() -> {
			try {
				this.here.acquireInterruptibly(permit(1), false);
				throw new AssertionError("Not interrupted");
			}
			catch (InterruptedException ex) {
				return null;
			}
		});
		await().until(
				() -> this.here.engine().queues.index.all().stream().anyMatch((queue) -> QueueView.inLine(queue) == 2));
		CompletableFuture<Lease> next = this.here.acquireAsync(permit(1)).toCompletableFuture();
		cancelled.cancel(true);
		this.threads.shutdownNow();
		interrupted.get();
		first.close();
		next.get().close();
		this.there.acquire(permitOnce(1)).close();
		awaitUnused();
	}

	@Test
	void closedRegistryLosesItsPermitsAndFailsItsWaiters() throws Exception {
		Lease held = this.there.acquire(permitOnce(2));
		Lease mine = this.there.acquire(permitOnce(2));
		CompletableFuture<Lease> waiter = this.there.acquireAsync(permit(2)).toCompletableFuture();
		awaitWaiting(this.there, 3);
		this.there.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get())
			.withCauseInstanceOf(LockRegistryClosedException.class);
		assertThat(held.isHeld()).isFalse();
		assertThat(mine.isHeld()).isFalse();
	}

}
