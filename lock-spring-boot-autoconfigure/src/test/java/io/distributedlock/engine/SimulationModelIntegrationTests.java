package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The simulation is worth as much as its model of the scripts: the same random operations
 * on the model and on a real server have to be answered alike.
 */
class SimulationModelIntegrationTests {

	private static final int RUNS = 40;

	private static final int OPERATIONS = 150;

	private static RedisServer server;

	private static RedisClient client;

	private static SimulationRedis redis;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		redis = new SimulationRedis(client.connect().sync());
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	@Test
	void modelAnswersLikeTheScripts() {
		long first = Long.getLong("simulation.seed", System.nanoTime());
		for (long seed = first; seed < first + RUNS; seed++) {
			compare(seed, new SimulationLocks());
		}
	}

	/** The comparison has to be able to fail. */
	@Test
	void modelWithoutTombstonesIsNoticed() {
		assertThatThrownBy(() -> {
			for (long seed = 1; seed <= RUNS; seed++) {
				compare(seed, SimulationBrokenScripts.forgetsAbandoned(new SimulationLocks()));
			}
		}).isInstanceOf(AssertionError.class).hasMessageContaining("-Dsimulation.seed=");
	}

	private static void compare(long seed, SimulationScripts model) {
		new Comparison(seed, model).run();
	}

	/** One sequence of operations. */
	private static final class Comparison {

		private static final List<LockKey> KEYS = List.of(new LockKey("", "a"), new LockKey("", "b"),
				new LockKey("", "c"));

		private final long seed;

		private final SimulationScripts model;

		private final SplittableRandom random;

		private final List<RequestIds> instances = new ArrayList<>();

		private final List<RequestId> requests = new ArrayList<>();

		private final List<String> history = new ArrayList<>();

		private long micros = 1_700_000_000_000_000L;

		private long highest;

		Comparison(long seed, SimulationScripts model) {
			this.seed = seed;
			this.model = model;
			this.random = new SplittableRandom(seed);
			for (int i = 1; i <= 4; i++) {
				this.instances.add(new RequestIds(i, i));
			}
		}

		void run() {
			KEYS.forEach(redis::remove);
			redis.wakeUps();
			for (int i = 0; i < OPERATIONS; i++) {
				operate();
			}
		}

		private void operate() {
			passTime();
			int choice = this.random.nextInt(100);
			if (choice < 40) {
				acquire();
			}
			else if (choice < 55) {
				renew();
			}
			else if (choice < 78) {
				List<LockKey> keys = keys();
				RequestId request = request(false);
				same("release " + keys + " " + request, (scripts, time) -> scripts.release(time, keys, request));
			}
			else if (choice < 98) {
				List<LockKey> keys = keys();
				RequestId request = request(true);
				same("abandon " + keys + " " + request, (scripts, time) -> scripts.abandon(time, keys, request));
			}
			else {
				LockKey lost = KEYS.get(this.random.nextInt(KEYS.size()));
				same("lose " + lost, (scripts, time) -> {
					scripts.remove(lost);
					return true;
				});
			}
		}

		private void acquire() {
			AcquireCommand command = new AcquireCommand(keys(), request(true), millis(10, 3000),
					this.random.nextInt(4) == 0 ? millis(1, 4000) : Duration.ZERO, this.highest,
					this.random.nextBoolean() ? millis(1, 5000) : Duration.ZERO);
			same(command.toString(), (scripts, time) -> scripts.acquire(time, command));
		}

		private void renew() {
			List<RenewCommand> commands = keys().stream()
				.map((key) -> new RenewCommand(key, request(false), millis(10, 3000)))
				.toList();
			same(commands.toString(), (scripts, time) -> scripts.renew(time, commands));
		}

		/** Mostly a little, now and then past the retention, or back. */
		private void passTime() {
			int choice = this.random.nextInt(100);
			long millis = (choice < 60) ? this.random.nextLong(40) : (choice < 93) ? this.random.nextLong(1500)
					: (choice < 97) ? -this.random.nextLong(4000) : this.random.nextLong(30_000);
			this.micros += millis * 1000 + this.random.nextLong(1000);
			this.highest = this.random.nextInt(10) == 0 ? this.micros + this.random.nextLong(2_000_000) : 0;
		}

		private List<LockKey> keys() {
			int set = this.random.nextInt(10);
			return (set < 6) ? KEYS.subList(set % 3, set % 3 + 1)
					: (set < 8) ? KEYS.subList(0, 2) : (set < 9) ? KEYS.subList(1, 3) : KEYS;
		}

		/** A recent one, or one from long ago, or a new one. */
		private RequestId request(boolean mayBeNew) {
			int known = this.requests.size();
			if (known == 0 || (mayBeNew && this.random.nextInt(3) == 0)) {
				this.requests.add(this.instances.get(this.random.nextInt(this.instances.size())).next());
				return this.requests.get(known);
			}
			return (this.random.nextInt(5) == 0) ? this.requests.get(this.random.nextInt(known))
					: this.requests.get(known - 1 - this.random.nextInt(Math.min(known, 4)));
		}

		private Duration millis(long from, long to) {
			return Duration.ofMillis(this.random.nextLong(from, to));
		}

		private void same(String operation, BiFunction<SimulationScripts, Long, Object> command) {
			Object expected = command.apply(redis, this.micros);
			Object actual = command.apply(this.model, this.micros);
			this.history.add(this.micros / 1000 + " " + operation + " -> " + expected);
			assertThat(actual).as(this::description).isEqualTo(expected);
			assertThat(this.model.wakeUps()).as(this::description).isEqualTo(redis.wakeUps());
		}

		private String description() {
			return "repeat with -Dsimulation.seed=" + this.seed + "\n" + String.join("\n",
					this.history.subList(Math.max(0, this.history.size() - 25), this.history.size())) + "\n";
		}

	}

}
