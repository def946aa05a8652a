package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.report.EventCallbacks;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The order of callbacks where code of users takes its time: leases come before events,
 * and the end of a lease comes whatever else waits.
 */
class CallbacksOrderTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofSeconds(1));

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	/** More of them than there are threads waited for each other for good. */
	@ParameterizedTest
	@ValueSource(ints = { 8, 100 })
	void continuationsThatReleaseTheirLeaseAndWaitForThatEnd(int count) {
		ScriptedStore slow = new ScriptedStore();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(slow)) {
			List<ScriptedStore.Held> attempts = hold(slow, Command.ACQUIRE, count);
			CompletableFuture<?>[] all = each(count,
					(number) -> registry.acquireAsync(LockRequest.of("k" + number))
						.thenAccept((lease) -> lease.release().toCompletableFuture().join())
						.toCompletableFuture());
			attempts.forEach(ScriptedStore.Held::answer);
			CompletableFuture.allOf(all).orTimeout(20, TimeUnit.SECONDS).join();
		}
	}

	/** The same, when a callback of the first release waits for the second one. */
	@ParameterizedTest
	@ValueSource(ints = { 8, 100 })
	void continuationsOfAReleaseThatWaitForAnotherEnd(int count) {
		ScriptedStore slow = new ScriptedStore();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(slow)) {
			List<Lease> first = new ArrayList<>();
			List<Lease> second = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				first.add(registry.acquire(LockRequest.of("first" + i)));
				second.add(registry.acquire(LockRequest.of("second" + i)));
			}
			List<ScriptedStore.Held> releases = hold(slow, Command.RELEASE, count);
			CompletableFuture<?>[] all = each(count,
					(number) -> first.get(number)
						.release()
						.thenRun(() -> second.get(number).release().toCompletableFuture().join())
						.toCompletableFuture());
			releases.forEach(ScriptedStore.Held::answer);
			CompletableFuture.allOf(all).orTimeout(20, TimeUnit.SECONDS).join();
		}
	}

	private static List<ScriptedStore.Held> hold(ScriptedStore store, Command command, int count) {
		List<ScriptedStore.Held> held = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			held.add(store.hold(command));
		}
		return held;
	}

	private static CompletableFuture<?>[] each(int count, Function<Integer, CompletableFuture<?>> task) {
		CompletableFuture<?>[] all = new CompletableFuture<?>[count];
		for (int i = 0; i < count; i++) {
			all[i] = task.apply(i);
		}
		return all;
	}

	/** The lease was kept and renewed for a caller that had not received it. */
	@Test
	void leaseThatNoThreadDeliversWithinTheBudgetIsReleased() {
		this.instance.holdCallbacks();
		CompletableFuture<Lease> undelivered = this.instance.acquire(REQUEST);
		this.instance.advance(Duration.ofMillis(999));
		assertThat(this.store.isLocked("k")).isTrue();
		assertThat(undelivered).isNotDone();
		this.instance.advance(Duration.ofMillis(102));
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(ManualInstance.failure(undelivered)).isExactlyInstanceOf(LockException.class)
			.isNotInstanceOfAny(LockNotAcquiredException.class, LockStoreException.class)
			.hasMessageContaining("not delivered")
			.hasMessageContaining("acquireAsync are busy");
		this.instance.runCallbacks();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	/** The timer of the delivery was there at once, the thread a moment later. */
	@Test
	void leaseAfterAPauseOfTheProcessIsDelivered() {
		this.instance.holdCallbacks();
		CompletableFuture<Lease> paused = this.instance.acquire(REQUEST);
		this.instance.clock.advance(Duration.ofSeconds(5));
		this.instance.runDue();
		this.instance.runCallbacks();
		assertThat(paused.join().isHeld()).isTrue();
		paused.join().close();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	@Test
	void leaseOfATryThatNoThreadDeliversIsReleasedAfterATimeout() {
		this.instance.holdCallbacks();
		CompletableFuture<Lease> undelivered = this.instance.acquire(REQUEST.waitFor(Duration.ZERO));
		this.instance.advance(this.store.commandTimeout());
		assertThat(undelivered).isNotDone();
		this.instance.advance(Duration.ofMillis(101));
		assertThat(undelivered).isCompletedExceptionally();
		assertThat(this.store.isLocked("k")).isFalse();
	}

	@Test
	void requestThatIsCancelledBeforeItsDeliveryLeavesNoTimer() {
		this.instance.holdCallbacks();
		this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1))).cancel(true);
		assertThat(this.store.isLocked("k")).isFalse();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	/** The listener came first. */
	@Test
	void leaseIsDeliveredBeforeItsEventIsTold() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> future = this.instance.acquire(REQUEST);
		AtomicBoolean deliveredFirst = new AtomicBoolean();
		this.instance.onEvent = (event) -> deliveredFirst.set(future.isDone());
		attempt.answer();
		assertThat(deliveredFirst).isTrue();
	}

	/** Leases waited behind thousands of events for threads that listeners had. */
	@Test
	void listenerThatBlocksDelaysNoLeaseAndWhatItMissesIsCounted() {
		CountDownLatch go = new CountDownLatch(1);
		DefaultLockRegistry registry = registry((event) -> await(go));
		try {
			int count = EventCallbacks.MOST_WAITING / 2 + 100;
			for (int i = 0; i < count; i++) {
				registry.acquireAsync(LockRequest.of("k")).toCompletableFuture().join().close();
			}
			assertThat(registry.droppedEvents()).isBetween(1L, 200L);
		}
		finally {
			go.countDown();
			registry.close();
		}
	}

	@Test
	void listenerThatDoesNotListenIsToldNothing() {
		List<LockEvent> told = new CopyOnWriteArrayList<>();
		AtomicBoolean listening = new AtomicBoolean();
		DefaultLockRegistry registry = registry(new LockEventListener() {
			@Override
			public void onLockEvent(LockEvent event) {
				told.add(event);
			}

			@Override
			public boolean isListening() {
				return listening.get();
			}
		});
		registry.acquire(REQUEST).close();
		listening.set(true);
		Lease lease = registry.acquire(REQUEST);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> registry.acquire(REQUEST.waitFor(Duration.ZERO)));
		lease.close();
		org.awaitility.Awaitility.await().until(() -> told.size() == 2);
		listening.set(false);
		registry.acquire(REQUEST).close();
		registry.close();
		assertThat(told).as("by several threads, thus in any order")
			.extracting(Object::getClass)
			.containsExactlyInAnyOrder(LockEvent.Busy.class, LockEvent.Released.class);
	}

	private static void await(CountDownLatch go) {
		try {
			go.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static DefaultLockRegistry registry(LockEventListener listener) {
		return new DefaultLockRegistry(new ScriptedStore(), LockProfiles.DEFAULTS, EngineSettings.DEFAULTS, listener);
	}

}
