package io.distributedlock;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads that outlive a call take over nothing of its caller. They had the identity of
 * the first one for good, where that is in an inheritable thread local as with Spring
 * Security's inheritable mode.
 */
class EngineExecutorsIdentityTests {

	private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

	private final ClassLoader application = Thread.currentThread().getContextClassLoader();

	private final List<String> seen = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(), LockProfiles.DEFAULTS,
			EngineSettings.DEFAULTS, (event) -> look("event " + event.getClass().getSimpleName()));

	@AfterEach
	void close() {
		this.registry.close();
	}

	private void look(String what) {
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		this.seen.add(what + ": " + USER.get() + ((classLoader != this.application) ? " with " + classLoader : ""));
	}

	@Test
	void codeOfUsersOnThreadsOfTheLibraryHasNoIdentityOfACaller() throws Exception {
		Thread caller = new Thread(this::useAll);
		caller.setContextClassLoader(new URLClassLoader(new URL[0], this.application));
		caller.start();
		caller.join();
		await().untilAsserted(() -> assertThat(this.seen).contains("lease: null", "release: null", "failure: null",
				"loss: null", "event Acquired: null", "event Lost: null"));
		assertThat(this.seen).allMatch((line) -> line.endsWith(": null"));
	}

	private void useAll() {
		USER.set("alice");
		Lease lost = this.registry.acquire(LockRequest.of("lost").renew(false).ttl(Duration.ofMillis(50)));
		lost.onLost(() -> look("loss"));
		Lease busy = this.registry.acquire(LockRequest.of("k"));
		// The attempt must not have failed yet when its callback is added.
		var failed = this.registry.acquireAsync(LockRequest.of("k").waitFor(Duration.ofSeconds(2)))
			.whenComplete((lease, failure) -> look("failure"));
		var next = this.registry.acquireAsync(LockRequest.of("k")).thenCompose((lease) -> {
			look("lease");
			return lease.release();
		}).thenRun(() -> look("release"));
		CompletableFuture.allOf(failed.toCompletableFuture()).handle((done, ex) -> done).join();
		busy.close();
		next.toCompletableFuture().join();
		await().until(() -> !lost.isHeld());
	}

}
