package io.distributedlock.reactive;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.awaitility.Awaitility.await;

/**
 * Two instances of an application on any store, one of which locks reactively.
 */
abstract class ReactiveInstances {

	private static final AtomicInteger KEY = new AtomicInteger();

	final String key = getClass().getSimpleName() + KEY.incrementAndGet();

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	DefaultLockRegistry here;

	DefaultLockRegistry there;

	ReactiveLockTemplate template;

	private final SharedLocks locks;

	ReactiveInstances(SharedLocks locks) {
		this.locks = locks;
	}

	@BeforeEach
	void startInstances() {
		EngineSettings settings = EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO);
		this.here = new DefaultLockRegistry(this.locks.createStore(), LockProfiles.DEFAULTS, settings,
				this.events::add);
		this.there = new DefaultLockRegistry(this.locks.createStore(), LockProfiles.DEFAULTS, settings, null);
		this.template = new ReactiveLockTemplate(this.here);
	}

	@AfterEach
	void closeInstances() {
		this.here.close();
		this.there.close();
	}

	final LockRequest request() {
		return LockRequest.of(this.key).waitFor(Duration.ofSeconds(30));
	}

	final LockRequest once() {
		return request().waitFor(Duration.ZERO);
	}

	/** Short enough to notice soon that it was stolen, and not to be lost before. */
	final LockRequest brief() {
		return request().ttl(Duration.ofSeconds(2));
	}

	final Lease holdElsewhere() {
		return this.there.acquire(request());
	}

	final void steal() {
		this.locks.steal(this.key);
	}

	final boolean isFree() {
		return this.there.tryAcquire(once()).map((lease) -> {
			lease.close();
			return true;
		}).orElse(false);
	}

	final void awaitFree() {
		await().until(this::isFree);
	}

	/** The store has forgotten all locks, so no lease is renewed and none was left. */
	final void awaitForgotten() {
		this.locks.awaitForgotten();
	}

}
