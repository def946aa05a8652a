package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * After a registry was closed no caller hangs and no lease counts as held.
 */
class EngineShutdownTests {

	private static final Duration HUNG = Duration.ofSeconds(10);

	private final ScriptedStore store = new ScriptedStore();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void stopThreads() {
		Thread.interrupted();
		this.threads.shutdownNow();
	}

	/**
	 * A release that the store had not answered was never given up after the shutdown.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void releaseWithoutAnAnswerEndsWithTheRegistry(boolean interrupted) {
		this.store.withCommandTimeout(Duration.ofSeconds(30)).silence(Command.RELEASE);
		DefaultLockRegistry registry = registry(this.store);
		Lease lease = registry.acquire(LockRequest.of("k"));
		Future<?> closing = this.threads.submit(lease::close);
		await().until(() -> this.store.sent(Command.RELEASE) == 1);
		close(registry, interrupted);
		await().untilAsserted(() -> assertThat(closing).isDone());
	}

	/**
	 * While all callback threads were blocked, the future of the lease was never
	 * completed.
	 */
	@Test
	void leaseThatWasNotDeliveredGoesBackWithTheRegistry() {
		ManualInstance instance = new ManualInstance();
		instance.holdCallbacks();
		CompletableFuture<Lease> future = instance.acquire(LockRequest.of("k"));
		assertThat(instance.store.isLocked("k")).isTrue();
		instance.engine.stop();
		assertThat(future).isCompletedExceptionally();
		assertThat(instance.store.isLocked("k")).isFalse();
	}

	/** The same for a caller who does not block. */
	@Test
	void asynchronousReleaseWithoutAnAnswerEndsWithTheRegistry() {
		this.store.withCommandTimeout(Duration.ofSeconds(30)).silence(Command.RELEASE);
		DefaultLockRegistry registry = registry(this.store);
		CompletableFuture<Void> released = registry.acquire(LockRequest.of("k")).release().toCompletableFuture();
		registry.close();
		await().untilAsserted(() -> assertThat(released).isDone());
	}

	/**
	 * An outage made every shutdown last for the whole grace, though nothing was held.
	 */
	@Test
	void requestThatCannotBeEndedDoesNotUseUpTheGrace() {
		this.store.failAll(Command.ACQUIRE, LockStoreException.Kind.UNAVAILABLE);
		this.store.failAll(Command.ABANDON, LockStoreException.Kind.UNAVAILABLE);
		DefaultLockRegistry registry = patient();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> registry.tryAcquire(LockRequest.of("k").waitFor(Duration.ofMillis(10))));
		assertThat(registry.engine().instance.backgroundCount()).isOne();
		Future<?> closing = this.threads.submit(registry::close);
		await().untilAsserted(() -> assertThat(closing).isDone());
	}

	@Test
	void releaseThatIsNotConfirmedIsSentAgainWithinTheGrace() throws Exception {
		this.store.failAll(Command.RELEASE, LockStoreException.Kind.UNAVAILABLE);
		DefaultLockRegistry registry = patient();
		registry.acquire(LockRequest.of("k")).close();
		Future<?> closing = this.threads.submit(registry::close);
		await().until(() -> registry.engine().instance.isClosed() && this.store.sent(Command.RELEASE) > 5);
		this.store.heal();
		closing.get(HUNG.toSeconds(), TimeUnit.SECONDS);
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/** It was logged a moment later, among the lines of whatever came next. */
	@Test
	void closeReturnsWhenTheLastLossIsLogged() {
		Thread.State closing = null;
		while (closing == null) {
			closing = stateOfTheClosingThreadWhenTheLossIsLogged();
		}
		assertThat(closing).isNotEqualTo(Thread.State.TERMINATED);
	}

	/** Return {@code null} if the closing thread notifies of the loss by itself. */
	private static Thread.State stateOfTheClosingThreadWhenTheLossIsLogged() {
		DefaultLockRegistry registry = registry(new ScriptedStore());
		registry.acquire(LockRequest.of("k"));
		Thread closing = new Thread(registry::close);
		CompletableFuture<Thread.State> logged = new CompletableFuture<>();
		AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
			@Override
			protected void append(ILoggingEvent event) {
				if (Thread.currentThread() == closing) {
					logged.complete(null);
				}
				else if (event.getFormattedMessage().contains("was lost")) {
					ManualInstance.awaitStuck(closing);
					logged.complete(closing.getState());
				}
			}
		};
		Logger logger = (Logger) LoggerFactory.getLogger("io.distributedlock");
		log.start();
		logger.addAppender(log);
		try {
			closing.start();
			return logged.join();
		}
		finally {
			logger.detachAppender(log);
			ManualInstance.join(closing);
		}
	}

	/** A release that began after the shutdown was never ended. */
	@Test
	void releaseAfterTheShutdownEnds() {
		this.store.withCommandTimeout(Duration.ofSeconds(30)).silence(Command.RELEASE);
		DefaultLockRegistry registry = registry(this.store);
		Lease lease = registry.acquire(LockRequest.of("k"));
		registry.close();
		Future<?> closing = this.threads.submit(lease::close);
		await().untilAsserted(() -> assertThat(closing).isDone());
	}

	/** A re-entrant caller that waited for a longer lease waited for ever. */
	@Test
	void lengtheningWithoutAnAnswerEndsWithTheRegistry() {
		this.store.withCommandTimeout(Duration.ofSeconds(30)).silence(Command.RENEW);
		DefaultLockRegistry registry = registry(this.store);
		LockRequest request = LockRequest.of("k").ownedBy("owner");
		registry.acquire(request);
		Future<?> entering = this.threads
			.submit(() -> registry.acquire(request.ttl(Duration.ofMinutes(10)).waitFor(Duration.ofMinutes(5))));
		await().until(() -> this.store.sent(Command.RENEW) == 1);
		registry.close();
		await().untilAsserted(() -> assertThat(entering).isDone());
	}

	/**
	 * An interrupted shutdown stopped the engine before the holders were notified of
	 * their losses.
	 */
	@Test
	void lossesAreToldWhenTheShutdownIsInterrupted() {
		AtomicInteger told = new AtomicInteger();
		int all = 0;
		for (int round = 0; round < 50; round++) {
			DefaultLockRegistry registry = registry(new ScriptedStore());
			for (int i = 0; i < 4; i++) {
				registry.acquire(LockRequest.of("k" + i)).onLost(told::incrementAndGet);
				all++;
			}
			close(registry, true);
		}
		int expected = all;
		await().untilAsserted(() -> assertThat(told).hasValue(expected));
	}

	/**
	 * A lock that was granted during the shutdown was neither renewed nor reported as
	 * lost.
	 */
	@Test
	void lockGivenDuringTheShutdownIsLostOrReleased() throws Exception {
		List<Lease> given = new ArrayList<>();
		AtomicInteger told = new AtomicInteger();
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2500);
		while (System.nanoTime() < end) {
			Lease lease = acquireDuringShutdown();
			if (lease != null) {
				lease.onLost(told::incrementAndGet);
				given.add(lease);
			}
		}
		await().untilAsserted(() -> assertThat(given).filteredOn(Lease::isHeld).as("still held").isEmpty());
		await().untilAsserted(() -> assertThat(told).hasValue(given.size()));
	}

	private Lease acquireDuringShutdown() throws Exception {
		ScriptedStore slow = new ScriptedStore();
		ScriptedStore.Held attempt = slow.hold(Command.ACQUIRE);
		DefaultLockRegistry registry = registry(slow);
		CompletableFuture<Lease> future = registry.acquireAsync(LockRequest.of("k")).toCompletableFuture();
		CyclicBarrier together = new CyclicBarrier(2);
		Future<?> answering = this.threads.submit(() -> {
			together.await();
			attempt.answer();
			return null;
		});
		together.await();
		registry.close();
		answering.get();
		return future.handle((lease, ex) -> {
			assertThat(ex).satisfiesAnyOf((none) -> assertThat(none).isNull(),
					(closed) -> assertThat(closed).isInstanceOf(LockRegistryClosedException.class));
			return lease;
		}).get();
	}

	/** The same with callers that arrive at that moment by themselves. */
	@Test
	void lockTakenDuringTheShutdownIsLostOrReleased() throws Exception {
		List<Lease> given = new ArrayList<>();
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2500);
		while (System.nanoTime() < end) {
			DefaultLockRegistry registry = registry(new ScriptedStore());
			CountDownLatch started = new CountDownLatch(1);
			Future<Lease> last = this.threads.submit(() -> acquireUntilClosed(registry, started));
			started.await();
			registry.close();
			Lease lease = last.get();
			if (lease != null) {
				given.add(lease);
			}
		}
		await().untilAsserted(() -> assertThat(given).filteredOn(Lease::isHeld).as("still held").isEmpty());
	}

	private static Lease acquireUntilClosed(DefaultLockRegistry registry, CountDownLatch started) {
		Lease lease = null;
		try {
			while (true) {
				lease = registry.acquire(LockRequest.of("k").ownedByCurrentThread());
				started.countDown();
				if (registry.engine().instance.isClosed()) {
					return lease;
				}
				lease.release();
				lease = null;
			}
		}
		catch (LockRegistryClosedException ex) {
			return lease;
		}
	}

	private static void close(DefaultLockRegistry registry, boolean interrupted) {
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		registry.close();
		assertThat(Thread.interrupted()).isEqualTo(interrupted);
	}

	/** A registry whose grace period outlasts the test. */
	private DefaultLockRegistry patient() {
		return new DefaultLockRegistry(this.store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ofMinutes(5)), null);
	}

	private static DefaultLockRegistry registry(ScriptedStore store) {
		return new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
	}

}
