package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Code of users that blocks every callback thread stops other code of users, but no lock.
 */
class CallbacksStarvationTests {

	private static final int CALLBACK_THREADS = 4;

	private final ScriptedStore store = new ScriptedStore();

	private final DefaultLockRegistry registry = registry(this.store);

	private final DefaultLockRegistry other = registry(new ScriptedStore(this.store.locks()));

	private final CountDownLatch go = new CountDownLatch(1);

	@BeforeEach
	void blockTheCallbackThreads() {
		AtomicInteger blocked = new AtomicInteger();
		for (int i = 0; i < CALLBACK_THREADS; i++) {
			this.registry.acquireAsync(LockRequest.of("user" + i)).thenAcceptAsync((lease) -> {
				blocked.incrementAndGet();
				awaitGo();
				lease.close();
			}, this.registry.engine().instance.executors.leases());
		}
		await().until(() -> blocked.get() == CALLBACK_THREADS);
	}

	@AfterEach
	void close() {
		this.go.countDown();
		this.other.close();
		this.registry.close();
	}

	private void awaitGo() {
		try {
			this.go.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** A cancelled request kept its lock until a callback thread was free. */
	@Test
	void requestThatIsCancelledAfterTheLockWasGivenIsReleased() {
		// Without the cancellation it would be released at the end of its budget.
		CompletableFuture<Lease> future = acquireAsync(LockRequest.of("x").waitFor(Duration.ofMinutes(1)));
		await().until(() -> this.store.isLocked("x"));
		// The renewals, and the last moment at which the lease may be delivered. That
		// passes
		// where another thread was made for the lease meanwhile.
		await().until(() -> future.isDone() || this.registry.engine().instance.timers.size() == CALLBACK_THREADS + 2);
		if (future.cancel(true)) {
			await().untilAsserted(() -> assertThat(this.store.isLocked("x")).isFalse());
		}
		else {
			assertThat(future.join().isHeld()).isTrue();
		}
	}

	/** The second key was asked for on a callback thread. */
	@Test
	void requestOfSeveralKeysTakesThemAll() {
		acquireAsync(LockRequest.ofAll("a", "b", "c"));
		await().untilAsserted(() -> assertThat(this.store.isLocked("c")).isTrue());
	}

	/** The keys acquired so far were released on a callback thread. */
	@Test
	void requestOfSeveralKeysThatTimesOutReleasesTheKeysItHas() {
		try (Lease busy = this.other.acquire(LockRequest.of("b"))) {
			acquireAsync(LockRequest.ofAll("a", "b").waitFor(Duration.ofMillis(500)));
			await().until(() -> this.store.sent(Command.ACQUIRE) > CALLBACK_THREADS + 1);
			await().untilAsserted(() -> assertThat(this.store.isLocked("a")).isFalse());
			assertThat(busy.isHeld()).isTrue();
		}
	}

	/** The same for a cancelled request. */
	@Test
	void requestOfSeveralKeysThatIsCancelledReleasesTheKeysItHas() {
		try (Lease busy = this.other.acquire(LockRequest.of("b"))) {
			CompletableFuture<Lease> future = acquireAsync(LockRequest.ofAll("a", "b").waitFor(Duration.ofSeconds(30)));
			await().until(() -> this.store.sent(Command.ACQUIRE) > CALLBACK_THREADS + 1);
			assertThat(future.cancel(true)).isTrue();
			await().untilAsserted(() -> assertThat(this.store.isLocked("a")).isFalse());
			assertThat(busy.isHeld()).isTrue();
		}
	}

	private static DefaultLockRegistry registry(ScriptedStore store) {
		return new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
	}

	private CompletableFuture<Lease> acquireAsync(LockRequest request) {
		return this.registry.acquireAsync(request).toCompletableFuture();
	}

}
