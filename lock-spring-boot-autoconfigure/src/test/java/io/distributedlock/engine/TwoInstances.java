package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import static org.awaitility.Awaitility.await;

/**
 * Two registries that stand for two instances of an application, on any store.
 */
@Timeout(60)
public abstract class TwoInstances {

	static final Duration LONG = Duration.ofSeconds(30);

	static final Duration BRIEF = Duration.ofMillis(900);

	private static final AtomicInteger KEY = new AtomicInteger();

	final String key;

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	final ExecutorService threads = Executors.newCachedThreadPool();

	DefaultLockRegistry here;

	DefaultLockRegistry there;

	private final SharedLocks locks;

	protected TwoInstances(SharedLocks locks) {
		this.locks = locks;
		this.key = locks.key(getClass().getSimpleName() + KEY.incrementAndGet());
	}

	/** Make the holder lose a lock without being told, as a flush would. */
	final void steal(String key) {
		this.locks.steal(key);
	}

	/** Wait until the store has forgotten all locks. */
	final void awaitForgotten() {
		this.locks.awaitForgotten();
	}

	@BeforeEach
	void startRegistries() {
		this.here = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ofMillis(200)));
		this.there = registry(EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO));
	}

	@AfterEach
	void closeRegistries() {
		this.threads.shutdownNow();
		this.here.close();
		this.there.close();
	}

	DefaultLockRegistry registry(EngineSettings settings) {
		return new DefaultLockRegistry(this.locks.createStore(), LockProfiles.DEFAULTS, settings, this.events::add);
	}

	LockRequest request() {
		return LockRequest.of(this.key);
	}

	LockRequest once() {
		return request().waitFor(Duration.ZERO);
	}

	void awaitLoss(LossReason reason) {
		await().atMost(Duration.ofSeconds(20))
			.until(() -> this.events.stream()
				.anyMatch((event) -> event instanceof LockEvent.Lost lost && lost.key().equals(this.key)
						&& lost.reason() == reason));
	}

}
