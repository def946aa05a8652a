package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.Searches;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Interrupts, cancels and time-outs at random moments leave nothing behind, on every
 * store.
 */
public abstract class LeakContractTests extends TwoInstances {

	protected LeakContractTests(SharedLocks locks) {
		super(locks);
	}

	private static final int ROUNDS = Searches.share(60_000);

	private static final int WORKERS = 4;

	private static final long LONGEST_PATIENCE = 40_000_000;

	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	private final AtomicInteger acquired = new AtomicInteger();

	private final AtomicInteger gaveUp = new AtomicInteger();

	private int patience;

	@Test
	void interruptsCancelsAndTimeOutsAtAnyMomentLeaveNothing() throws Exception {
		this.patience = (int) Math.min(Math.max(patience(), 4 * nanosOfOneLock()), LONGEST_PATIENCE);
		List<Future<?>> workers = new ArrayList<>();
		for (int worker = 0; worker < WORKERS; worker++) {
			DefaultLockRegistry registry = (worker % 2 == 0) ? this.here : this.there;
			Random random = new Random(worker);
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < rounds() / WORKERS; round++) {
					disturb(registry, random);
				}
				return null;
			}));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
		assertThat(this.acquired.get() + this.gaveUp.get()).isEqualTo(rounds() / WORKERS * WORKERS);
		assertThat(this.acquired.get()).isPositive();
		assertThat(this.gaveUp.get()).isPositive();
		awaitQuiet(this.here.engine());
		awaitQuiet(this.there.engine());
		awaitForgotten();
		this.threads.shutdown();
		closeRegistries();
		await().until(() -> Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("distributed-lock") && !this.before.contains(thread)));
	}

	private static void awaitQuiet(Engine engine) {
		await().untilAsserted(() -> {
			assertThat(engine.queues.index.size()).as("queues").isZero();
			assertThat(engine.instance.heldCount()).as("held").isZero();
			assertThat(engine.instance.backgroundCount()).as("background commands").isZero();
			assertThat(engine.instance.timers.size()).as("timers").isZero();
		});
	}

	int rounds() {
		return ROUNDS;
	}

	/** Some rounds have to get their lock, also on a machine that does other work. */
	private long nanosOfOneLock() {
		return LongStream.range(0, 5).map((ignored) -> {
			long start = System.nanoTime();
			this.here.acquire(LockRequest.of(this.key)).close();
			return System.nanoTime() - start;
		}).sorted().skip(2).findFirst().orElseThrow();
	}

	/**
	 * How many nanoseconds a round waits at most before giving up. It is longer where the
	 * machine takes longer for one lock.
	 */
	int patience() {
		return 1_000_000;
	}

	/** The next request of a caller. */
	LockRequest wanted(Random random) {
		return LockRequest.of(this.key + "-" + random.nextInt(3));
	}

	private void disturb(DefaultLockRegistry registry, Random random) throws Exception {
		LockRequest request = wanted(random);
		switch (random.nextInt(3)) {
			case 0 -> timeOut(registry, request, random);
			case 1 -> interrupt(registry, request, random);
			default -> cancel(registry, request, random);
		}
	}

	private void timeOut(DefaultLockRegistry registry, LockRequest request, Random random) {
		try {
			Lease lease = registry.acquire(request.waitFor(Duration.ofNanos(random.nextInt(2 * this.patience))));
			LockSupport.parkNanos(random.nextInt(200_000));
			lease.close();
			this.acquired.incrementAndGet();
		}
		catch (LockException ex) {
			this.gaveUp.incrementAndGet();
		}
	}

	private void interrupt(DefaultLockRegistry registry, LockRequest request, Random random) throws Exception {
		Thread worker = Thread.currentThread();
		long pause = random.nextInt(this.patience);
		Future<?> interrupter = this.threads.submit(() -> {
			LockSupport.parkNanos(pause);
			worker.interrupt();
		});
		try {
			Lease lease = registry.acquireInterruptibly(request, false);
			lease.close();
			this.acquired.incrementAndGet();
		}
		catch (InterruptedException ex) {
			this.gaveUp.incrementAndGet();
		}
		joinThroughInterrupts(interrupter);
		Thread.interrupted();
	}

	private static void joinThroughInterrupts(Future<?> future) throws ExecutionException {
		while (true) {
			try {
				future.get();
				return;
			}
			catch (InterruptedException ignored) {
				// It was meant for the acquisition, which was over by then.
			}
		}
	}

	private void cancel(DefaultLockRegistry registry, LockRequest request, Random random) throws Exception {
		CompletableFuture<Lease> future = registry.acquireAsync(request).toCompletableFuture();
		LockSupport.parkNanos(random.nextInt(this.patience));
		if (future.cancel(true)) {
			this.gaveUp.incrementAndGet();
			return;
		}
		try {
			future.get().release().toCompletableFuture().get();
			this.acquired.incrementAndGet();
		}
		catch (CancellationException ex) {
			throw new AssertionError("Cancelled, although no caller has cancelled it", ex);
		}
		catch (ExecutionException ex) {
			assertThat(ex).hasCauseInstanceOf(LockNotAcquiredException.class);
			this.gaveUp.incrementAndGet();
		}
	}

}
