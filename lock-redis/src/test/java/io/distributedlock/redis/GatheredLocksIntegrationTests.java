package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

import io.distributedlock.LeaseLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Many threads of two instances, whose requests gather all the time. */
class GatheredLocksIntegrationTests {

	static final int THREADS = 64;

	private static final int KEYS = 100;

	static final int PAIRS = 200;

	/** The number of pairs, of all threads, after which the server is disturbed again. */
	private static final int PAIRS_BETWEEN = 100;

	/** Guarded by the locks alone. */
	private final long[] counters = new long[KEYS];

	private final AtomicLongArray expected = new AtomicLongArray(KEYS);

	private final AtomicLong done = new AtomicLong();

	DriverUnderTest driver() {
		return DriverUnderTest.LETTUCE;
	}

	@Test
	void countersPerKeyLoseNoUpdate() throws Exception {
		assertNoUpdateIsLost(null);
	}

	@Test
	void countersPerKeyLoseNoUpdateWhenScriptsAreForgotten() throws Exception {
		assertNoUpdateIsLost("SCRIPT FLUSH");
	}

	@Test
	void countersPerKeyLoseNoUpdateWhenConnectionsAreCut() throws Exception {
		assertNoUpdateIsLost("CLIENT KILL TYPE normal SKIPME yes");
	}

	private void assertNoUpdateIsLost(@Nullable String disturbance) throws Exception {
		RedisServer server = RedisServers.start();
		RedisConnectionFactory factory = driver().connect(server);
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try (server;
				DefaultLockRegistry one = new DefaultLockRegistry(
						new RedisLockStore(factory, RedisStoreSettings.DEFAULTS));
				DefaultLockRegistry two = new DefaultLockRegistry(
						new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				DefaultLockRegistry registry = (i % 2 == 0) ? one : two;
				running.add(threads.submit(() -> count(registry, server, disturbance)));
			}
			for (Future<?> each : running) {
				each.get();
			}
			for (int key = 0; key < KEYS; key++) {
				assertThat(this.counters[key]).isEqualTo(this.expected.get(key));
			}
			assertThat(scriptCalls(server)).as("requests that went alone").isLessThan(2L * THREADS * PAIRS);
		}
		finally {
			threads.shutdownNow();
			DriverUnderTest.close(factory);
		}
	}

	private void count(DefaultLockRegistry registry, RedisServer server, @Nullable String disturbance) {
		for (int i = 0; i < PAIRS; i++) {
			int key = ThreadLocalRandom.current().nextInt(KEYS);
			LeaseLock lock = registry.getLock("counter:" + key);
			lock.lock();
			try {
				this.counters[key]++;
				this.expected.incrementAndGet(key);
			}
			finally {
				lock.unlock();
			}
			if (this.done.incrementAndGet() % PAIRS_BETWEEN == 0 && disturbance != null) {
				disturb(server, disturbance);
			}
		}
	}

	/** Synchronized, since a call would cut the connection of another call, too. */
	private synchronized void disturb(RedisServer server, String command) {
		server.ask(command.split(" "));
	}

	static long scriptCalls(RedisServer server) {
		return CommandCounts.of(server, "evalsha");
	}

}
