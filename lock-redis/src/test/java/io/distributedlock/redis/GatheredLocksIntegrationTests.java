package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

	/** Guarded by the locks alone. */
	private final long[] counters = new long[KEYS];

	private final AtomicLongArray expected = new AtomicLongArray(KEYS);

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
				running.add(threads.submit(() -> count(registry)));
			}
			for (Future<?> each : running) {
				awaitDisturbing(each, server, disturbance);
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

	private static void awaitDisturbing(Future<?> counting, RedisServer server, @Nullable String command)
			throws Exception {
		while (true) {
			try {
				counting.get((command != null) ? 20 : Integer.MAX_VALUE, TimeUnit.MILLISECONDS);
				return;
			}
			catch (TimeoutException ex) {
				server.ask(command.split(" "));
			}
		}
	}

	private void count(DefaultLockRegistry registry) {
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
		}
	}

	static long scriptCalls(RedisServer server) {
		return CommandCounts.of(server, "evalsha");
	}

}
