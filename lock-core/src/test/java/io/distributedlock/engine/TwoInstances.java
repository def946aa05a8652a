package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two registries that stand for two instances of an application, on any store.
 */
public abstract class TwoInstances {

	static final Duration LONG = Duration.ofSeconds(30);

	/** The ttl of leases that expire. */
	static final Duration BRIEF = Duration.ofMillis(900);

	/**
	 * The ttl of leases that are renewed, long enough for the pauses of a busy machine.
	 */
	static final Duration RENEWED = Duration.ofSeconds(3);

	/**
	 * A budget that ends without a grant; a store that does not answer within it is
	 * reported as an outage.
	 */
	static final Duration IN_VAIN = Duration.ofSeconds(1);

	private static final AtomicInteger KEY = new AtomicInteger();

	final String key;

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	final ExecutorService threads = Executors.newCachedThreadPool();

	DefaultLockRegistry here;

	DefaultLockRegistry there;

	final SharedLocks locks;

	protected TwoInstances(SharedLocks locks) {
		this.locks = locks;
		this.key = locks.key(getClass().getSimpleName() + KEY.incrementAndGet());
	}

	/** Take a lock from its holder without a notification, as a flush would. */
	final void steal(String key) {
		this.locks.steal(key);
	}

	/**
	 * Make the holder here lose a lock, and find out now: by its next renewal it might as
	 * well have run out where a busy machine stands still.
	 */
	final void stealFromHere(String key) {
		steal(key);
		this.here.engine().wakeUpAll();
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

	/** A store of a further instance, which begins and ends where the test wants. */
	LockStore createStore() {
		return this.locks.createStore();
	}

	LockRequest request() {
		return LockRequest.of(this.key).waitFor(LONG);
	}

	LockRequest once() {
		return request().waitFor(Duration.ZERO);
	}

	void awaitLoss(LossReason reason) {
		await().until(() -> this.events.stream()
			.anyMatch((event) -> event instanceof LockEvent.Lost lost && lost.key().equals(this.key)
					&& lost.reason() == reason));
	}

	/**
	 * Wait until a registry has as many queues, held ones too, and the store has answered
	 * every request that waits in them.
	 */
	static void awaitWaiting(DefaultLockRegistry registry, int queues) {
		await().until(() -> isWaiting(registry, queues));
	}

	static boolean isWaiting(DefaultLockRegistry registry, int queues) {
		Engine engine = registry.engine();
		return engine.queues.index.size() == queues
				&& engine.queues.index.all().stream().allMatch(QueueView::isAnswered);
	}

	/** Wait until no lock is held or requested. */
	void awaitUnused() {
		for (DefaultLockRegistry registry : List.of(this.here, this.there)) {
			Engine engine = registry.engine();
			await().untilAsserted(() -> {
				assertThat(engine.queues.index.size()).as("queues").isZero();
				assertThat(engine.instance.heldCount()).as("held").isZero();
				assertThat(engine.instance.backgroundCount()).as("background commands").isZero();
				assertThat(engine.instance.timers.size()).as("timers").isZero();
			});
		}
	}

}
