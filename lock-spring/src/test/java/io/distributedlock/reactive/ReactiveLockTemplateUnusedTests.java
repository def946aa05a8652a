package io.distributedlock.reactive;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A lock is kept for the work that has run under it, and for nothing else. */
class ReactiveLockTemplateUnusedTests {

	private final MemoryLocks locks = new MemoryLocks();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(this.locks),
			LockProfiles.DEFAULTS, EngineSettings.DEFAULTS, this.events::add);

	/** The steps that the template goes on with once it has its lease. */
	private final BlockingQueue<Runnable> steps = new LinkedBlockingQueue<>();

	private final ReactiveLockTemplate template = new ReactiveLockTemplate(this.registry, LockProfiles.DEFAULTS,
			Schedulers.fromExecutor(this.steps::add));

	private final AtomicBoolean ran = new AtomicBoolean();

	@AfterEach
	void close() {
		this.registry.close();
	}

	private Disposable subscribe(String... keys) {
		return this.template
			.execute(LockRequest.ofAll(keys).keepFor(Duration.ofHours(1)),
					(lease) -> Mono.fromRunnable(() -> this.ran.set(true)))
			.subscribe();
	}

	/** The lock stayed taken for the whole time although nothing had run. */
	@ParameterizedTest
	@ValueSource(strings = { "k", "k,l" })
	void cancelBetweenTheLeaseAndTheBodyKeepsNothing(String keys) throws InterruptedException {
		Disposable subscription = subscribe(keys.split(","));
		Runnable body = this.steps.poll(20, TimeUnit.SECONDS);
		assertThat(body).isNotNull();
		assertThat(this.locks.isLocked("", "k")).isTrue();
		subscription.dispose();
		body.run();
		await().until(() -> !this.locks.isLocked("", "k") && !this.locks.isLocked("", "l"));
		assertThat(this.ran).isFalse();
	}

	/** Guards the repair. */
	@Test
	void cancelAfterTheBodyHasBegunKeepsTheLock() throws InterruptedException {
		Disposable subscription = subscribe("k");
		Runnable body = this.steps.poll(20, TimeUnit.SECONDS);
		assertThat(body).isNotNull();
		body.run();
		subscription.dispose();
		await().until(() -> this.events.stream().anyMatch(LockEvent.Released.class::isInstance));
		assertThat(this.ran).isTrue();
		assertThat(this.locks.isLocked("", "k")).isTrue();
	}

}
