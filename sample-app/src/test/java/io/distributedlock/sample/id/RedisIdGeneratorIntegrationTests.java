package io.distributedlock.sample.id;

import java.util.concurrent.TimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisServerCommands;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RedisIdGeneratorIntegrationTests {

	private static final String KEY = "test:ids";

	private static RedisServer server;

	private static LettuceConnectionFactory connections;

	private static StringRedisTemplate redis;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()));
		connections.afterPropertiesSet();
		connections.start();
		redis = new StringRedisTemplate(connections);
	}

	@AfterAll
	static void stop() {
		connections.destroy();
		server.close();
	}

	@BeforeEach
	void flush() {
		loseAllData();
	}

	@Test
	void nextWhenCalledInTurnIsPositiveAndGrows() {
		long[] ids = take(new RedisIdGenerator(redis, KEY), 5_000);
		assertThat(ids).isSorted().doesNotHaveDuplicates();
		assertThat(ids[0]).isPositive();
	}

	@Test
	void nextWhenBlockIsUsedUpCostsOneRoundTripForEachBlock() {
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
		ids.next();
		long before = evalCalls();
		take(ids, 10 * IdBlock.SIZE);
		assertThat(evalCalls() - before).isBetween(10L, 13L);
	}

	@Test
	void nextWhenManyInstancesTakeAtOnceIsUnique() throws Exception {
		assertThat(takeFromManyInstances(8, 20_000)).hasSize(8 * 20_000);
	}

	@Test
	void nextWhenKeyIsLostAllTheTimeIsUnique() throws Exception {
		AtomicBoolean done = new AtomicBoolean();
		ExecutorService executor = Executors.newSingleThreadExecutor();
		Future<Integer> losses = executor.submit(() -> loseDataUntil(done));
		Set<Long> ids = takeFromManyInstances(8, 60_000);
		done.set(true);
		assertThat(losses.get()).isGreaterThan(10);
		executor.shutdown();
		assertThat(ids).hasSize(8 * 60_000);
	}

	/** The block of that very microsecond may have been given out before the loss. */
	@Test
	void nextWhenKeyIsLostGetsNoBlockAtFirst() {
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
		ids.next();
		long before = evalCalls();
		redis.delete(KEY);
		new RedisIdGenerator(redis, KEY).next();
		assertThat(evalCalls() - before).isEqualTo(2);
	}

	@Test
	void nextWhenServerRestartsEmptyGoesOn() {
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
		long[] before = take(ids, 3 * IdBlock.SIZE);
		server.kill();
		server.deleteData();
		server.start();
		long[] after = take(new RedisIdGenerator(redis, KEY), 3 * IdBlock.SIZE);
		assertThat(after[0]).isGreaterThan(before[before.length - 1]);
	}

	@Test
	void nextWhenBlockIsOldTakesNewOne() {
		AtomicLong ticker = new AtomicLong();
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY, ticker::get);
		ids.next();
		long beforeOneSecond = serverMicros();
		ticker.addAndGet(RedisIdGenerator.BLOCK_AGE.toNanos());
		assertThat(ids.next() >> IdBlock.SEQUENCE_BITS).isGreaterThanOrEqualTo(beforeOneSecond);
	}

	@Test
	void nextWhenTwoInstancesAreOneSecondApartIsOrdered() {
		AtomicLong ticker = new AtomicLong();
		RedisIdGenerator idle = new RedisIdGenerator(redis, KEY, ticker::get);
		idle.next();
		long other = new RedisIdGenerator(redis, KEY).next();
		ticker.addAndGet(RedisIdGenerator.BLOCK_AGE.toNanos());
		assertThat(idle.next()).isGreaterThan(other);
	}

	@Test
	void nextNeverRunsAheadOfServerClock() {
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
		for (int i = 0; i < 200; i++) {
			long id = take(ids, IdBlock.SIZE)[IdBlock.SIZE - 1];
			assertThat(id >> IdBlock.SEQUENCE_BITS).isLessThanOrEqualTo(serverMicros());
		}
	}

	/**
	 * A first answer that came slowly used up the patience that is meant for the clock.
	 */
	@Test
	void nextWhenTheFirstAnswerIsSlowAndThereIsNoKeyGoesOn() throws Exception {
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
		server.pause();
		CompletableFuture<Long> id = CompletableFuture.supplyAsync(ids::next);
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> id.get(RedisIdGenerator.PATIENCE.toMillis() + 200, TimeUnit.MILLISECONDS));
		server.resume();
		assertThat(id.get()).isPositive();
	}

	/**
	 * An instance that stood still while the key was lost again said that the clock was
	 * behind.
	 */
	@Test
	void nextWhenTheKeyIsLostAgainAfterAPauseGoesOn() {
		AtomicLong ticker = new AtomicLong();
		AtomicInteger asked = new AtomicInteger();
		RedisIdGenerator ids = new RedisIdGenerator(new StringRedisTemplate(connections) {

			@Override
			public <T> T execute(RedisScript<T> script, List<String> keys, Object... arguments) {
				if (asked.incrementAndGet() <= 3) {
					redis.delete(KEY);
					ticker.addAndGet(RedisIdGenerator.PATIENCE.toNanos());
				}
				return super.execute(script, keys, arguments);
			}

		}, KEY, ticker::get);
		assertThat(ids.next()).isPositive();
		assertThat(asked).hasValue(4);
	}

	@Test
	void nextWhenClockIsALittleBehindWaits() {
		long ahead = serverMicros() + 200_000;
		redis.opsForValue().set(KEY, String.valueOf(ahead));
		assertThat(new RedisIdGenerator(redis, KEY).next() >> IdBlock.SEQUENCE_BITS).isGreaterThan(ahead);
	}

	@Test
	void nextWhenClockIsFarBehindFails() {
		redis.opsForValue().set(KEY, String.valueOf(serverMicros() + 60_000_000));
		RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
		assertThatExceptionOfType(IdsUnavailableException.class).isThrownBy(ids::next)
			.withMessageContaining(KEY)
			.withMessageContaining("set back");
	}

	private static Set<Long> takeFromManyInstances(int instances, int count) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(2 * instances);
		try {
			List<Callable<long[]>> takers = new ArrayList<>();
			IntStream.range(0, instances).forEach((instance) -> {
				RedisIdGenerator ids = new RedisIdGenerator(redis, KEY);
				takers.add(() -> take(ids, count / 2));
				takers.add(() -> take(ids, count / 2));
			});
			Set<Long> all = new HashSet<>();
			for (Future<long[]> taken : executor.invokeAll(takers)) {
				LongStream.of(taken.get()).forEach(all::add);
			}
			return all;
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static long[] take(IdGenerator ids, int count) {
		return LongStream.generate(ids::next).limit(count).toArray();
	}

	private static int loseDataUntil(AtomicBoolean done) {
		int losses = 0;
		while (!done.get()) {
			loseAllData();
			losses++;
		}
		return losses;
	}

	private static void loseAllData() {
		redis.execute((RedisCallback<Boolean>) (connection) -> {
			connection.serverCommands().flushAll(RedisServerCommands.FlushOption.SYNC);
			return true;
		});
	}

	private static long serverMicros() {
		Long time = redis
			.execute((RedisCallback<Long>) (connection) -> connection.serverCommands().time(TimeUnit.MICROSECONDS));
		return (time != null) ? time : 0;
	}

	private static long evalCalls() {
		String stats = redis.execute((RedisCallback<String>) (connection) -> String
			.valueOf(connection.serverCommands().info("commandstats").getProperty("cmdstat_evalsha")));
		return Long.parseLong(stats.replaceFirst("calls=", "").replaceFirst(",.*", ""));
	}

}
