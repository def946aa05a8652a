package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Servers that take writes, and networks that let connections through, in short windows
 * only: each renewal that waited for its next try missed them.
 */
@Tag("alone")
class ShortWindowsIntegrationTests {

	private static final int LOCKS = 40;

	private static final LockRequest BUSY = LockRequest.of("busy")
		.ttl(Duration.ofMinutes(5))
		.waitFor(Duration.ofMinutes(5));

	/** With each driver, with a subscription and without one. */
	@ParameterizedTest
	@EnumSource
	@Execution(ExecutionMode.CONCURRENT)
	void locksWhenTheirServerIsOpenInShortWindowsAreKept(Cycle cycle) throws Exception {
		List<Held> all = new ArrayList<>();
		try {
			for (Driver driver : Driver.values()) {
				all.add(new Held(driver, true));
				all.add(new Held(driver, false));
			}
			all.forEach((held) -> held.acquire(cycle.ttl));
			await().until(() -> all.stream().allMatch((held) -> held.leases.size() == LOCKS));
			all.forEach((held) -> held.alternate(cycle));
			long begun = System.nanoTime();
			await().atMost(cycle.ttl.multipliedBy(4))
				.until(() -> System.nanoTime() - begun > cycle.ttl.multipliedBy(2).toNanos());
			assertThat(all).map(Held::count).containsOnly((long) LOCKS);
		}
		finally {
			for (Held held : all) {
				held.close();
			}
		}
	}

	/** An instance that holds locks, and another one for which a caller of it waits. */
	private static final class Held extends InstancesBehindProxy implements AutoCloseable {

		private final List<Lease> leases = new CopyOnWriteArrayList<>();

		private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

		Held(Driver driver, boolean subscribed) {
			start(driver);
			if (subscribed) {
				this.there.acquire(BUSY);
				this.here.acquireAsync(BUSY);
				await().until(() -> !this.redis.admin().pubsubChannels("lock:*").isEmpty());
			}
		}

		/** Spread over the time in which a renewal is due. */
		void acquire(Duration ttl) {
			for (int i = 0; i < LOCKS; i++) {
				LockRequest request = LockRequest.of("held-" + i).ttl(ttl);
				this.clock.schedule(() -> this.leases.add(this.here.acquire(request)), ttl.toMillis() * i / LOCKS / 3,
						TimeUnit.MILLISECONDS);
			}
		}

		long count() {
			return this.leases.stream().filter(Lease::isHeld).count();
		}

		void alternate(Cycle cycle) {
			RedisCommands<String, String> admin = this.redis.admin();
			cycle.prepare(admin);
			cycle.begin(this, admin);
		}

		/** Is done when the server has read its data anew. */
		void reload() {
			this.redis.server.ask("DEBUG", "RELOAD");
		}

		@Override
		public void close() throws Exception {
			this.clock.shutdownNow();
			assertThat(this.clock.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
			this.proxy.pass();
			stop();
		}

	}

	/** How long a server is closed and open, and the ttl of the locks. */
	enum Cycle {

		FEW_REPLICAS(750, 166, 3, (held, admin) -> admin.configSet("min-replicas-to-write", "1"),
				(held, admin) -> admin.configSet("min-replicas-to-write", "0")),

		FEW_REPLICAS_FOR_LONG(2_250, 500, 9, (held, admin) -> admin.configSet("min-replicas-to-write", "1"),
				(held, admin) -> admin.configSet("min-replicas-to-write", "0")),

		READ_ONLY(750, 166, 3, (held, admin) -> admin.replicaof("127.0.0.1", 1),
				(held, admin) -> admin.replicaofNoOne()),

		/** It takes longer on a busy machine, so the window counts from its end. */
		LOADING(2_250, 500, 9, (held, admin) -> held.reload(), (held, admin) -> {
		}) {

			@Override
			void begin(Held held, RedisCommands<String, String> admin) {
				held.clock.scheduleWithFixedDelay(held::reload, 0, 500, TimeUnit.MILLISECONDS);
			}

			@Override
			void prepare(RedisCommands<String, String> admin) {
				IntStream.range(0, FILLERS).forEach((i) -> admin.set("filler-" + i, "x".repeat(1_000)));
				admin.configSet("loading-process-events-interval-bytes", "1024");
				admin.configSet("key-load-delay", Long.toString(2_000_000 / FILLERS));
			}

		},

		REFUSED_CONNECTIONS(4_000, 1_500, 18, (held, admin) -> held.proxy.refuse(), (held, admin) -> held.proxy.pass());

		private static final int FILLERS = 150;

		private final Duration closed;

		private final Duration open;

		private final Duration ttl;

		private final BiConsumer<Held, RedisCommands<String, String>> close;

		private final BiConsumer<Held, RedisCommands<String, String>> begin;

		Cycle(long closed, long open, long ttl, BiConsumer<Held, RedisCommands<String, String>> close,
				BiConsumer<Held, RedisCommands<String, String>> begin) {
			this.closed = Duration.ofMillis(closed);
			this.open = Duration.ofMillis(open);
			this.ttl = Duration.ofSeconds(ttl);
			this.close = close;
			this.begin = begin;
		}

		void begin(Held held, RedisCommands<String, String> admin) {
			held.clock.execute(() -> shut(held, admin));
		}

		private void shut(Held held, RedisCommands<String, String> admin) {
			this.close.accept(held, admin);
			held.clock.schedule(() -> open(held, admin), this.closed.toMillis(), TimeUnit.MILLISECONDS);
		}

		/** The window counts from the answer, so it is never shorter than meant. */
		private void open(Held held, RedisCommands<String, String> admin) {
			this.begin.accept(held, admin);
			held.clock.schedule(() -> shut(held, admin), this.open.toMillis(), TimeUnit.MILLISECONDS);
		}

		void prepare(RedisCommands<String, String> admin) {
		}

	}

}
