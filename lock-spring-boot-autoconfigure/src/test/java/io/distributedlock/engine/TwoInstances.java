package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.LockStore;
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

	static final Duration BRIEF = Duration.ofMillis(400);

	private static final AtomicInteger KEY = new AtomicInteger();

	final String key = getClass().getSimpleName() + KEY.incrementAndGet();

	final List<LockEvent> events = Collections.synchronizedList(new ArrayList<>());

	final ExecutorService threads = Executors.newCachedThreadPool();

	DefaultLockRegistry here;

	DefaultLockRegistry there;

	/**
	 * A new store.
	 * @return a store on the same locks as every other one made in this test
	 */
	protected abstract LockStore createStore();

	/**
	 * Make the holder lose a lock without being told, as a flush would.
	 * @param key the key
	 */
	protected abstract void steal(String key);

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
		return new DefaultLockRegistry(createStore(), LockProfiles.DEFAULTS, settings, this.events::add);
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
