package io.distributedlock.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of a registry to callers that request leases, on every store.
 */
public abstract class LockRegistryContractTests extends TwoInstances {

	protected LockRegistryContractTests(SharedLocks locks) {
		super(locks);
	}

	@Test
	void acquireExcludesOtherInstances() {
		try (Lease lease = this.here.acquire(request())) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.there.tryAcquire(once())).isEmpty();
		}
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void acquireExcludesOtherCallersOfTheSameInstance() {
		try (Lease lease = this.here.acquire(request())) {
			assertThat(lease.key()).isEqualTo(this.key);
			assertThat(this.here.tryAcquire(once())).isEmpty();
		}
		assertThat(this.here.tryAcquire(once())).isPresent();
	}

	@Test
	void acquireWhenBusyElsewhereWaitsForTheRelease() throws Exception {
		Lease held = this.there.acquire(request());
		Future<Lease> waiting = this.threads.submit(() -> this.here.acquire(request().waitFor(LONG)));
		await().until(() -> this.here.engine().queues.index.size() == 1);
		held.close();
		assertThat(waiting.get().fencingToken()).isGreaterThan(held.fencingToken());
	}

	@Test
	void acquireWhenHolderDiesWaitsNoLongerThanItsLease() {
		DefaultLockRegistry dead = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
		dead.acquire(request().ttl(BRIEF).renew(false).waitFor(LONG));
		dead.close();
		assertThat(this.here.acquire(request().waitFor(LONG)).isHeld()).isTrue();
	}

	@Test
	void acquireWhenBudgetIsUsedUpThrowsWithKeyAndHolder() {
		Lease held = this.there.acquire(request());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(request().waitFor(IN_VAIN)))
			.satisfies((ex) -> {
				assertThat(ex.getKey()).isEqualTo(this.key);
				assertThat(ex.getHolder()).hasValueSatisfying((holder) -> assertThat(holder).contains("instance"));
				assertThat(ex.getWaited()).isGreaterThanOrEqualTo(IN_VAIN);
			});
		assertThat(held.isHeld()).isTrue();
		assertThat(this.here.engine().queues.index.size()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "patient" })
	void tryAcquireWhenBusyMakesOneAttemptAndLeavesNoEntry(String name) {
		LockRequest plain = LockRequest.of(name, this.key);
		LockRequest several = LockRequest.ofAll(this.key, this.key + "-2").name(name);
		Lease held = this.there.acquire(plain);
		AtomicInteger attempts = new AtomicInteger();
		try (DefaultLockRegistry waiting = registry(counting(attempts), LONG)) {
			for (LockRequest request : List.of(plain, plain.mode(this.locks.queued()), several)) {
				attempts.set(0);
				assertThat(waiting.tryAcquire(request)).isEmpty();
				assertThat(attempts).as("%s", request).hasValue(1);
				assertThat(waiting.inspect(name, this.key).waiting()).as("%s", request).isZero();
			}
			assertThat(waiting.engine().queues.index.size()).isZero();
		}
		assertThat(held.isHeld()).isTrue();
	}

	@Test
	void tryAcquireWhenBusyHereIsEmptyAtOnce() {
		AtomicInteger attempts = new AtomicInteger();
		try (DefaultLockRegistry waiting = registry(counting(attempts), LONG);
				Lease held = waiting.acquire(LockRequest.of(this.key))) {
			assertThat(waiting.tryAcquire(LockRequest.of(this.key))).isEmpty();
			assertThat(attempts).as("only that of the holder").hasValue(1);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "patient" })
	void tryAcquireWaitsAsLongAsItsRequestSays(String name) throws Exception {
		LockRequest request = LockRequest.of(name, this.key);
		Lease held = this.there.acquire(request);
		try (DefaultLockRegistry hasty = registry(createStore(), Duration.ZERO)) {
			assertThat(hasty.tryAcquire(request.waitFor(IN_VAIN))).isEmpty();
			Future<Optional<Lease>> waiting = this.threads.submit(() -> hasty.tryAcquire(request.waitFor(LONG)));
			await().until(() -> isWaiting(hasty, 1));
			held.close();
			assertThat(waiting.get()).hasValueSatisfying(Lease::close);
		}
	}

	/** A registry whose configuration says everywhere how long to wait. */
	private DefaultLockRegistry registry(LockStore store, Duration wait) {
		LockOptions options = LockOptions.NONE.withWaitFor(wait);
		return new DefaultLockRegistry(store, new LockProfiles(options, Map.of("patient", options)),
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
	}

	private LockStore counting(AtomicInteger attempts) {
		LockStore store = createStore();
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("acquire")) {
						attempts.incrementAndGet();
					}
					return method.invoke(store, arguments);
				});
	}

	@Test
	void acquireWhenBudgetIsUsedUpBehindALocalHolderNamesItsThread() {
		this.here.acquire(request().ownedByCurrentThread());
		CompletableFuture<LockNotAcquiredException> failure = CompletableFuture.supplyAsync(() -> {
			try {
				this.here.acquire(request().waitFor(Duration.ofMillis(50)));
				return null;
			}
			catch (LockNotAcquiredException ex) {
				return ex;
			}
		}, this.threads);
		assertThat(failure.join().getHolder())
			.hasValueSatisfying((holder) -> assertThat(holder).contains(Thread.currentThread().getName()));
	}

	@Test
	void waitersOfOneInstanceAreServedInOrder() throws Exception {
		Lease held = this.here.acquire(request());
		List<Integer> order = Collections.synchronizedList(new ArrayList<>());
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			int number = i;
			CompletableFuture<Lease> waiting = this.here.acquireAsync(request().waitFor(LONG)).toCompletableFuture();
			all.add(waiting.thenAccept((lease) -> {
				order.add(number);
				lease.release();
			}));
		}
		held.close();
		for (Future<?> one : all) {
			one.get();
		}
		assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	}

	@Test
	void acquireAsyncWhenCancelledLeavesNothingBehind() {
		Lease held = this.there.acquire(request());
		CompletableFuture<Lease> waiting = this.here.acquireAsync(request().waitFor(LONG)).toCompletableFuture();
		assertThat(waiting.cancel(true)).isTrue();
		assertThat(this.here.engine().queues.index.size()).isZero();
		await().until(() -> this.here.engine().instance.backgroundCount() == 0);
		held.close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void acquireWhenInterruptedLeavesNothingBehind() throws Exception {
		Lease held = this.there.acquire(request());
		AtomicReference<Boolean> flag = new AtomicReference<>();
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				this.here.acquire(request().waitFor(LONG));
				outcome.complete(null);
			}
			catch (Throwable ex) {
				flag.set(Thread.currentThread().isInterrupted());
				outcome.complete(ex);
			}
		});
		thread.start();
		await().until(() -> this.here.engine().queues.index.size() == 1);
		thread.interrupt();
		assertThat(outcome.get()).isInstanceOf(LockInterruptedException.class);
		assertThat(flag.get()).isTrue();
		assertThat(this.here.engine().queues.index.size()).isZero();
		held.close();
	}

	@Test
	void requestThatCannotWorkIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.here.acquire(request().ttl(LockOptions.MIN_RENEWABLE_TTL.minusMillis(1))))
			.withMessageContaining("too short to be renewed");
	}

	@Test
	void contendersOfTwoInstancesNeverOverlapAndTokensGrow() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger entered = new AtomicInteger();
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			DefaultLockRegistry mine = (i % 2 == 0) ? this.here : this.there;
			all.add(this.threads.submit(() -> {
				for (int round = 0; round < 25; round++) {
					try (Lease lease = mine.acquire(request().waitFor(LONG).ownedByCurrentThread())) {
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						tokens.add(lease.fencingToken());
						entered.incrementAndGet();
						inside.decrementAndGet();
					}
				}
			}));
		}
		for (Future<?> one : all) {
			one.get();
		}
		assertThat(entered).hasValue(200);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		await()
			.until(() -> this.here.engine().queues.index.size() == 0 && this.there.engine().queues.index.size() == 0);
		// Sooner than the timer of a renewal would have fired.
		await().untilAsserted(() -> assertThat(this.here.engine().instance.timers.size()).isZero());
	}

}
