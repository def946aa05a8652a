package io.distributedlock.redis;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.distributedlock.LeaseLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The same with callers that combine. */
class JedisGatheredLocksIntegrationTests extends GatheredLocksIntegrationTests {

	@Override
	DriverUnderTest driver() {
		return DriverUnderTest.JEDIS;
	}

	/** No lock is handed on within the instance, so each pair is two requests. */
	@Test
	void callersWithKeysOfTheirOwnNeedFewerCallsThanRequests() throws Exception {
		RedisServer server = RedisServers.start();
		RedisConnectionFactory factory = DriverUnderTest.JEDIS.connect(server);
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try (server;
				DefaultLockRegistry registry = new DefaultLockRegistry(
						new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			for (Future<?> each : IntStream.range(0, THREADS)
				.<Future<?>>mapToObj((i) -> threads.submit(() -> lockAndUnlock(registry.getLock("own:" + i))))
				.toList()) {
				each.get();
			}
			assertThat(scriptCalls(server)).isLessThan(2L * THREADS * PAIRS / 2);
		}
		finally {
			threads.shutdownNow();
			DriverUnderTest.close(factory);
		}
	}

	private static void lockAndUnlock(LeaseLock lock) {
		for (int i = 0; i < PAIRS; i++) {
			lock.lock();
			lock.unlock();
		}
	}

}
