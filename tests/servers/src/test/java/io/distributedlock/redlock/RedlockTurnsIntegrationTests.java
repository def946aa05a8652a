package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.LockKey;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The order of the waiters on three real servers. The waiter entries are read from the
 * servers.
 */
class RedlockTurnsIntegrationTests {

	private static final int NODES = 3;

	private static final Duration LONG = Duration.ofSeconds(30);

	/** Words last for three of these: longer than a busy machine stands still. */
	private static final Duration POLL = Duration.ofSeconds(3);

	private final DefaultLockRegistry here = registry();

	private final DefaultLockRegistry there = registry();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private static DefaultLockRegistry registry() {
		RedlockLockStore store = SharedNodes.patientStore(SharedNodes.servers(NODES), RedisStoreSettings.DEFAULTS);
		return new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO).withPollInterval(POLL), (event) -> {
				});
	}

	@AfterEach
	void closeRegistries() {
		this.threads.shutdownNow();
		this.here.close();
		this.there.close();
	}

	@Test
	void writerInAStreamOfReadersComesBeforeThoseWhoBeginLater() throws Exception {
		Readers readers = new Readers();
		List<Future<?>> streams = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? this.here : this.there;
			streams.add(this.threads.submit(() -> readers.stream(registry)));
		}
		for (int i = 0; i < 6; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? this.here : this.there;
			readers.awaitGenerations(2);
			CompletableFuture<Lease> writer = registry
				.acquireAsync(LockRequest.of("stream").mode(LockMode.EXCLUSIVE).waitFor(LONG))
				.toCompletableFuture();
			await().pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> writer.isDone()
						|| nodesWhere("stream", (node) -> node.hexists(stored("stream"), "waiters")) > 1);
			int begun = readers.begun.get();
			try (Lease lease = writer.get()) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(readers.youngest.get()).as("the reader that began last of those who came in")
					.isLessThanOrEqualTo(begun);
			}
		}
		readers.over.set(true);
		for (Future<?> stream : streams) {
			stream.get();
		}
	}

	private static long nodesWhere(String key, Predicate<RedisCommands<String, String>> condition) {
		return SharedNodes.admins(NODES).stream().filter(condition).count();
	}

	private static String stored(String key) {
		return "lock:" + new LockKey("", key).encoded();
	}

	/** Readers that each hold the lock until the next one has been admitted. */
	private static final class Readers {

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger admitted = new AtomicInteger();

		private final AtomicInteger youngest = new AtomicInteger();

		private final AtomicBoolean over = new AtomicBoolean();

		private Void stream(DefaultLockRegistry registry) {
			Lease last = null;
			while (!this.over.get()) {
				int number = this.begun.incrementAndGet();
				LockRequest read = LockRequest.of("stream").mode(LockMode.READ);
				Lease next = registry.tryAcquire(read.waitFor(Duration.ZERO)).orElse(null);
				if (last != null) {
					last.close();
				}
				last = (next != null) ? next : registry.acquire(read.waitFor(LONG));
				this.youngest.accumulateAndGet(number, Math::max);
				this.admitted.incrementAndGet();
			}
			if (last != null) {
				last.close();
			}
			return null;
		}

		/** The stream flows again. */
		private void awaitGenerations(int count) {
			int enough = this.admitted.get() + 4 * count;
			await().until(() -> this.admitted.get() >= enough);
		}

	}

}
