package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A value of another program under the name of a lock, or of one of its sorted sets, is
 * neither a free lock nor an outage, and stays as it is. It was taken for a free lock,
 * and expired with it.
 */
abstract class ForeignValueContractTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final AtomicLong SEQUENCE = new AtomicLong(ThreadLocalRandom.current().nextLong(1 << 20));

	private final LockKey key = new LockKey("foreign", "key" + SEQUENCE.incrementAndGet());

	private final String redisKey = "lock:" + this.key.encoded();

	private final long instance = SEQUENCE.incrementAndGet();

	private LockStore store;

	abstract LockStore createStore();

	/** The servers that may have the lock. */
	abstract List<RedisServer> servers();

	@BeforeEach
	void open() {
		this.store = createStore();
		this.store.start(request(0).instance(), new Deaf());
	}

	@AfterEach
	void close() {
		this.store.close();
		servers().forEach(LeastPrivilege::assertNothingWasRefused);
		ask("DEL", this.redisKey);
	}

	/** Place 0 is that of requests which a short script answers. */
	private RequestId request(int place) {
		return RequestId.of(this.instance, place, SEQUENCE.incrementAndGet(), 0);
	}

	/** The answers of the servers that have the key. */
	private List<String> ask(String... command) {
		List<String> said = new ArrayList<>();
		for (RedisServer server : servers()) {
			try {
				said.add(server.ask(command).toString());
			}
			catch (IllegalStateException ex) {
				assertThat(ex).hasMessageContaining("MOVED");
			}
		}
		return said;
	}

	@ParameterizedTest
	@EnumSource
	void foreignValueUnderTheNameOfALockIsRefusedAndStays(Foreign foreign) {
		ask(foreign.command(this.redisKey));
		List<String> before = ask("DUMP", this.redisKey);
		Stream.of(LockMode.values())
			.forEach((mode) -> assertThat(acquire(mode, request(1 + mode.ordinal()))).as(mode.name())
				.satisfies((answer) -> refused(answer, this.redisKey, foreign)));
		RequestId request = request(0);
		refused(acquire(LockMode.EXCLUSIVE, request), this.redisKey, foreign);
		refused(this.store.release(new ReleaseCommand(this.key, request)), this.redisKey, foreign);
		refused(this.store.abandon(new AbandonCommand(this.key, request)), this.redisKey, foreign);
		refused(this.store.monitor().forceRelease(new ForceReleaseCommand(this.key, null)), this.redisKey, foreign);
		refused(this.store.monitor().inspect(this.key), this.redisKey, foreign);
		assertThat(this.store.renew(List.of(new RenewCommand(this.key, request, TTL))).get(0))
			.succeedsWithin(Patience.CEILING)
			.isEqualTo(Ownership.LOST);
		assertThat(ask("DUMP", this.redisKey)).isEqualTo(before);
		assertThat(ask("PTTL", this.redisKey)).containsOnly("-1");
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, mode = EnumSource.Mode.EXCLUDE, names = { "EXCLUSIVE" })
	void foreignValueUnderTheNameOfASetIsRefusedAndStays(LockMode mode) {
		for (Foreign foreign : List.of(Foreign.STRING, Foreign.HASH)) {
			for (String set : List.of("queue", "holders", "readers", "admitted")) {
				String name = LockOnTheWire.set(set, this.redisKey);
				put(foreign, name);
				List<String> before = ask("DUMP", name);
				refused(acquire(mode, request(1)), name, foreign);
				assertThat(ask("DUMP", name)).as(name).isEqualTo(before);
				assertThat(ask("PTTL", name)).as(name).containsOnly("-1");
				ask("DEL", name);
			}
		}
	}

	/** A node that answers late may make the hash once more. */
	@ParameterizedTest
	@EnumSource
	void setsWhoseHashWasDeletedAreNoneOfAnotherProgram(LockMode mode) {
		acquire(LockMode.READ, request(1)).join();
		acquire(LockMode.FAIR, request(2)).join();
		await().untilAsserted(() -> {
			ask("DEL", this.redisKey);
			assertThat(acquire(mode, request(3))).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class);
		});
	}

	/** A node that was late with the last attempt may make the set once more. */
	private void put(Foreign foreign, String name) {
		await().untilAsserted(() -> {
			ask("DEL", name);
			ask(foreign.command(name));
		});
	}

	private CompletableFuture<AcquireOutcome> acquire(LockMode mode, RequestId request) {
		return this.store.acquire(new AcquireCommand(List.of(this.key), request, mode,
				(mode == LockMode.SEMAPHORE) ? 2 : 0, null, TTL, Duration.ZERO, TTL, 0, false, 0, Duration.ZERO));
	}

	/** The failure names the key, the type of its value, and the remedy. */
	private void refused(CompletableFuture<?> answer, String name, Foreign foreign) {
		assertThat(answer).failsWithin(Patience.CEILING);
		LockStoreException failure = (LockStoreException) answer.handle((value, ex) -> ex).join();
		assertThat(failure).hasMessageContaining('\'' + name + "' in Redis")
			.hasMessageContaining(": it is " + foreign.type)
			.hasMessageContaining("choose another distributed-lock.key-prefix or lock key");
		assertThat(failure.getKind()).isEqualTo(Kind.MISCONFIGURED);
	}

	private static final class Deaf implements WakeUpListener {

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUpAll() {
		}

	}

	/** Foreign values of a key. */
	enum Foreign {

		HASH("a hash", "HSET", "balance", "100"),

		REDISSON("a hash", "HSET", "8743c9c0-0795-4907-87fd-6c719a6b4586:1", "1"),

		STATE("a hash", "HSET", "state", "PAID"),

		CUT_SHORT("a hash", "HSET", "state", "\5\1"),

		STRING("neither a hash nor a sorted set", "SET", "x"),

		LIST("neither a hash nor a sorted set", "RPUSH", "x"),

		SORTED_SET("a sorted set", "ZADD", "1", "x");

		private final String type;

		private final String command;

		private final List<String> args;

		Foreign(String type, String command, String... args) {
			this.type = type;
			this.command = command;
			this.args = List.of(args);
		}

		String[] command(String key) {
			return Stream.concat(Stream.of(this.command, key), this.args.stream()).toArray(String[]::new);
		}

	}

}
