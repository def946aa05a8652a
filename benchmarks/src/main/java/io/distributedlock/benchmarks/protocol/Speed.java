package io.distributedlock.benchmarks.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import io.distributedlock.LeaseLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import redis.clients.jedis.params.SetParams;

/**
 * Pairs of lock and unlock per second beside {@code SET NX PX} and compare-and-delete on
 * one connection of Lettuce. All candidates run in one process and take short turns, so
 * that other programs disturb all alike. No key has two users at a time.
 */
final class Speed {

	private static final String DELETE_OWN = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final int sliceMillis;

	private Speed(int sliceMillis) {
		this.sliceMillis = sliceMillis;
	}

	static void print(int rounds, int sliceMillis) throws Exception {
		RedisClient client = RedisClient.create();
		try (RedisServer server = RedisServers.start();
				redis.clients.jedis.RedisClient jedis = redis.clients.jedis.RedisClient.create(server.host(),
						server.port());
				Instance onLettuce = Instance.lettuce(server.host(), server.port());
				Instance onJedis = Instance.jedis(server.host(), server.port())) {
			Map<String, Pair> candidates = new LinkedHashMap<>();
			candidates.put("raw Lettuce", raw(client.connect(RedisURI.create(server.host(), server.port())).sync()));
			candidates.put("raw Jedis", raw(jedis));
			candidates.put("registry on Lettuce", of(onLettuce, "lettuce"));
			candidates.put("registry on Jedis", of(onJedis, "jedis"));
			Speed speed = new Speed(sliceMillis);
			Rounds.compare("W1: one thread, one key", "pairs/s", candidates, rounds,
					(candidate) -> speed.measure(candidate, 1, 1));
			Rounds.compare("W2: 64 threads, 10,000 keys", "pairs/s", candidates, rounds,
					(candidate) -> speed.measure(candidate, 64, 10_000));
			speed.threads.shutdown();
		}
		finally {
			client.shutdown();
		}
	}

	static Pair raw(RedisCommands<String, String> commands) {
		String delete = commands.scriptLoad(DELETE_OWN);
		return (key) -> {
			String name = "raw:order:" + key;
			commands.set(name, "owner", SetArgs.Builder.nx().px(30_000));
			commands.<Long>evalsha(delete, ScriptOutputType.INTEGER, new String[] { name }, "owner");
		};
	}

	static Pair raw(redis.clients.jedis.RedisClient commands) {
		String delete = commands.scriptLoad(DELETE_OWN);
		return (key) -> {
			String name = "raw:order:" + key;
			commands.set(name, "owner", SetParams.setParams().nx().px(30_000));
			commands.evalsha(delete, List.of(name), List.of("owner"));
		};
	}

	static Pair of(Instance instance, String prefix) {
		return (key) -> {
			LeaseLock lock = instance.registry().getLock(prefix + ":order:" + key);
			lock.lock();
			lock.unlock();
		};
	}

	private double measure(Pair pair, int users, int keys) throws Exception {
		long start = System.nanoTime();
		long end = start + this.sliceMillis * 1_000_000L;
		List<Future<Long>> counts = new ArrayList<>();
		for (int user = 0; user < users; user++) {
			int own = user;
			counts.add(this.threads.submit(() -> run(pair, own, users, keys, end)));
		}
		long pairs = 0;
		for (Future<Long> count : counts) {
			pairs += count.get();
		}
		return pairs * 1e9 / (System.nanoTime() - start);
	}

	/** Each thread has its own part of the keys. */
	private static long run(Pair pair, int user, int users, int keys, long end) {
		long pairs = 0;
		for (; System.nanoTime() < end; pairs++) {
			pair.run(user + users * ThreadLocalRandom.current().nextInt(keys / users));
		}
		return pairs;
	}

	/** Takes a key and gives it back. */
	interface Pair {

		void run(int key);

	}

}
