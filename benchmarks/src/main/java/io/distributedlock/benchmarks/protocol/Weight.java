package io.distributedlock.benchmarks.protocol;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Measures the memory that a pair of acquisition and release allocates without
 * contention, in all threads of the process. Measures also the heap that a held lock
 * keeps.
 */
final class Weight {

	private static final int WARM_UP = 30_000;

	private static final int PAIRS = 5_000;

	private static final int HELD = 20_000;

	private Weight() {
	}

	static void print(int rounds) {
		RedisClient client = RedisClient.create();
		try (RedisServer server = RedisServers.start();
				redis.clients.jedis.RedisClient jedis = redis.clients.jedis.RedisClient.create(server.host(),
						server.port());
				Instance onLettuce = Instance.lettuce(server.host(), server.port());
				Instance onJedis = Instance.jedis(server.host(), server.port());
				AnnotationConfigApplicationContext application = application(server)) {
			Map<String, IntConsumer> candidates = new LinkedHashMap<>();
			candidates.put("raw Lettuce",
					raw(RawPairs.on(client.connect(RedisURI.create(server.host(), server.port())).sync())));
			candidates.put("raw Jedis", raw(RawPairs.on(jedis)));
			candidates.put("registry on Lettuce", acquired(onLettuce.registry()));
			candidates.put("`Lock` of a registry on Lettuce", locked(onLettuce.registry()));
			candidates.put("registry on Jedis", acquired(onJedis.registry()));
			Guarded guarded = application.getBean(Guarded.class);
			candidates.put("annotated method on Lettuce", (key) -> guarded.run("order:" + key));
			printAllocated(candidates, rounds);
			printHeld(onLettuce.registry());
		}
		finally {
			client.shutdown();
		}
	}

	private static AnnotationConfigApplicationContext application(RedisServer server) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("server",
					Map.of("spring.data.redis.host", server.host(), "spring.data.redis.port", server.port())));
		context.register(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class, Guarded.class);
		context.refresh();
		return context;
	}

	private static IntConsumer raw(RawPairs.Pair pair) {
		return (key) -> {
			String name = "raw:order:" + key;
			pair.acquire(name);
			pair.release(name);
		};
	}

	private static IntConsumer locked(LockRegistry registry) {
		return (key) -> {
			Lock lock = registry.getLock("lettuce:order:" + key);
			lock.lock();
			lock.unlock();
		};
	}

	private static IntConsumer acquired(LockRegistry registry) {
		return (key) -> registry.acquire(LockRequest.of("acquired:order:" + key)).close();
	}

	private static void printAllocated(Map<String, IntConsumer> candidates, int rounds) {
		ProtocolBenchmark.line("%n| allocated per pair, median of %d rounds | bytes |%n|---|---|", rounds);
		candidates.forEach((name, pair) -> {
			run(pair, WARM_UP);
			double[] bytes = new double[rounds];
			for (int round = 0; round < rounds; round++) {
				bytes[round] = allocated(pair);
			}
			Arrays.sort(bytes);
			ProtocolBenchmark.line("| %s | %.0f |", name, bytes[rounds / 2]);
		});
	}

	/**
	 * Return the bytes that a pair allocates. Renewals are due after some seconds, so
	 * there are none among a few thousand pairs.
	 */
	private static double allocated(IntConsumer pair) {
		long before = ProcessFigures.allocated();
		run(pair, PAIRS);
		return (double) (ProcessFigures.allocated() - before) / PAIRS;
	}

	private static void run(IntConsumer pair, int times) {
		for (int i = 0; i < times; i++) {
			pair.accept(i % Pairs.KEYS);
		}
	}

	private static void printHeld(LockRegistry registry) {
		ProtocolBenchmark.line("%n| held, %,d at once | bytes on the heap, with the text of the key |%n|---|---|",
				HELD);
		held("`Lease`", (key) -> registry.acquire(LockRequest.of("held:lease:" + key)));
		held("`LeaseLock`", (key) -> {
			Lock lock = registry.getLock("held:lock:" + key);
			lock.lock();
			return lock;
		});
	}

	private static void held(String name, IntFunction<Object> acquire) {
		Object[] all = new Object[HELD];
		acquire.apply(HELD);
		long before = ProcessFigures.heap();
		for (int key = 0; key < HELD; key++) {
			all[key] = acquire.apply(key);
		}
		long bytes = ProcessFigures.heap() - before;
		ProtocolBenchmark.line("| %s | %.0f |", name, (double) bytes / all.length);
	}

	/** An annotated bean. */
	static class Guarded {

		@DistributedLock(name = "orders", key = "#id")
		public void run(String id) {
		}

	}

}
