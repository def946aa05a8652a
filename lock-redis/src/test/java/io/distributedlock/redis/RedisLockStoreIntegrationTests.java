package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewAnswers;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RedisLockStore} where the server answers, with every driver.
 */
@Tag("newer-servers")
class RedisLockStoreIntegrationTests {

	private static final String CUT_SHORT = """
			for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
			  if string.find(name, ARGV[1], 1, true) == 1 then
			    redis.call('HSET', KEYS[1], name, '\2')
			  end
			end
			""";

	private static RedisServer server;

	private static RedisClient client;

	private static RedisCommands<String, String> redis;

	private final LockKey key = StoreUnderTest.newKey();

	private final String redisKey = "lock:" + this.key.encoded();

	@BeforeAll
	static void startServer() {
		server = RedisServers.start(LeastPrivilege.serverSettings());
		client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		redis = client.connect().sync();
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	@BeforeEach
	void empty() {
		redis.flushall();
	}

	@ParameterizedTest
	@EnumSource
	void commandWhenServerForgotTheScriptsIsRunBySource(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			RequestId request = one.request();
			redis.scriptFlush();
			assertThat(one.acquire(this.key, request).join()).isInstanceOf(Granted.class);
			redis.scriptFlush();
			assertThat(one.renew(this.key, request).join()).isEqualTo(Ownership.HELD);
			redis.scriptFlush();
			assertThat(one.store.release(new ReleaseCommand(this.key, request)).join()).isEqualTo(Ownership.HELD);
			redis.scriptFlush();
			one.store.abandon(new AbandonCommand(this.key, request)).join();
			RequestId next = one.request();
			redis.scriptFlush();
			one.store.abandon(new AbandonCommand(this.key, next)).join();
			assertThat(new LockOnTheWire(redis).status(this.redisKey, next.toString())).isEqualTo("gone");
		}
	}

	@ParameterizedTest
	@EnumSource
	void renewalWhenServerForgotTheScriptsRenewsEveryBatch(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			List<RenewCommand> commands = new ArrayList<>();
			for (int i = 0; i < 401; i++) {
				LockKey each = new LockKey("many", "k" + i);
				RequestId request = one.request();
				one.acquire(each, request).join();
				commands.add(new RenewCommand(each, request, Duration.ofMinutes(10)));
			}
			redis.scriptFlush();
			assertThat(RenewAnswers.join(one.store.renew(commands))).hasSize(401).containsOnly(Ownership.HELD);
			assertThat(new LockOnTheWire(redis).get("lock:many:k400", "lease")).isEqualTo("600000");
		}
	}

	/** The store listened for its first registry only, also when that was closed. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void releaseWakesAWaiterOfALaterRegistryOfTheStore(DriverUnderTest driver) throws InterruptedException {
		BlockingQueue<String> woken = new LinkedBlockingQueue<>();
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			RequestId held = one.request();
			one.acquire(this.key, held).join();
			RequestId waiting = new RequestId(4711, 1);
			one.store.start(waiting.instance(), new WakeUpListener() {
				@Override
				public void wakeUp(String encodedKey) {
					woken.add(encodedKey);
				}

				@Override
				public void wakeUpAll() {
					woken.add("all");
				}
			});
			one.waitFor(this.key, waiting).join();
			assertThat(woken.poll(10, TimeUnit.SECONDS)).as("there is a subscription").isEqualTo("all");
			one.store.release(new ReleaseCommand(this.key, held)).join();
			assertThat(woken.poll(10, TimeUnit.SECONDS)).isEqualTo(this.key.encoded());
		}
	}

	@ParameterizedTest
	@EnumSource
	void lockAndUnlockAreTwoCommands(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			RequestId warm = one.request();
			one.acquire(this.key, warm).join();
			one.store.release(new ReleaseCommand(this.key, warm)).join();
			redis.configResetstat();
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			one.store.release(new ReleaseCommand(this.key, request)).join();
			assertThat(redis.info("commandstats")).contains("cmdstat_evalsha:calls=2,").doesNotContain("cmdstat_eval:");
		}
	}

	@ParameterizedTest
	@EnumSource
	void commandsWhenALockOfAnotherVersionLivesThereAreMisconfigured(DriverUnderTest driver) {
		redis.hset(this.redisKey, "state", "\6");
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			assertThat(failure(one.acquire(this.key, one.request()), Kind.MISCONFIGURED)).contains("acquire",
					this.redisKey, "another version", "delete the key", "key-prefix");
			assertThat(failure(one.store.release(new ReleaseCommand(this.key, one.request())), Kind.MISCONFIGURED))
				.contains("release");
			assertThat(failure(one.store.abandon(new AbandonCommand(this.key, one.request())), Kind.MISCONFIGURED))
				.contains("abandon");
			assertThat(redis.hgetall(this.redisKey)).containsExactly(Map.entry("state", "\6"));
		}
	}

	/** It counted as an outage, so that each call of a method that proceeds ran alone. */
	@ParameterizedTest
	@EnumSource
	void acquireWhenSomethingOfTheLockIsCutShortIsMisconfigured(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			for (String field : List.of("state", "waiters", "by", "q")) {
				redis.flushall();
				one.waitFor(LockMode.READ, this.key).join();
				one.waitFor(LockMode.FAIR, this.key).join();
				one.waitFor(LockMode.EXCLUSIVE, this.key).join();
				redis.eval(CUT_SHORT, ScriptOutputType.STATUS, new String[] { this.redisKey }, field);
				assertThat(failure(one.waitFor(LockMode.FAIR, this.key), Kind.MISCONFIGURED)).as(field)
					.contains("acquire", this.redisKey, "delete");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void acquireWhenKeysAreForbiddenIsMisconfigured(DriverUnderTest driver) {
		acl("elsewhere", "on", ">secret", "+@all", "~other:*", "&*");
		try (StoreUnderTest one = new StoreUnderTest(driver, server, "elsewhere", "secret")) {
			assertThat(failure(one.acquire(this.key, one.request()), Kind.MISCONFIGURED)).contains("acquire",
					this.redisKey, "NOPERM", "~lock:*");
		}
	}

	@ParameterizedTest
	@EnumSource
	void acquireWhenCommandInsideIsForbiddenIsMisconfigured(DriverUnderTest driver) {
		acl("nohash", "on", ">secret", "+@all", "-hmget", "~*", "&*");
		try (StoreUnderTest one = new StoreUnderTest(driver, server, "nohash", "secret")) {
			assertThat(failure(one.acquire(this.key, one.request()), Kind.MISCONFIGURED)).contains("+hmget");
		}
	}

	/**
	 * Lettuce may lose the server's answer when it closes the connection: then the next
	 * attempt has it. The check of the start asks again likewise.
	 */
	@ParameterizedTest
	@EnumSource
	void acquireWhenPasswordIsWrongIsMisconfigured(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, server, "unknown", "wrong")) {
			Patience.await()
				.untilAsserted(() -> assertThat(failure(one.acquire(this.key, one.request()), Kind.MISCONFIGURED))
					.contains("WRONGPASS", "password"));
		}
	}

	@ParameterizedTest
	@EnumSource
	void storeWhenChannelsAreForbiddenStillLocks(DriverUnderTest driver) {
		acl("mute", "on", ">secret", "+@all", "~lock:*", "resetchannels");
		try (StoreUnderTest one = new StoreUnderTest(driver, server, "mute", "secret");
				StoreUnderTest two = new StoreUnderTest(driver, server, "mute", "secret")) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			assertThat(two.waitFor(this.key, two.request()).join()).isInstanceOf(Busy.class);
			assertThat(one.store.release(new ReleaseCommand(this.key, request)).join()).isEqualTo(Ownership.HELD);
			assertThat(two.waitFor(this.key, two.request()).join()).isInstanceOf(Granted.class);
		}
	}

	@ParameterizedTest
	@EnumSource
	void memoryWhenUsedUpStopsOnlyNewLocks(DriverUnderTest driver) {
		try (RedisServer small = RedisServers.start(LeastPrivilege.serverSettings());
				StoreUnderTest one = new StoreUnderTest(driver, small)) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			fill(small);
			assertThat(failure(one.acquire(StoreUnderTest.newKey(), one.request()), Kind.UNAVAILABLE)).contains("OOM");
			assertThat(one.renew(this.key, request).join()).isEqualTo(Ownership.HELD);
			assertThat(one.waitFor(this.key, one.request()).join()).isInstanceOf(Busy.class);
			one.store.abandon(new AbandonCommand(this.key, one.request())).join();
			assertThat(one.store.release(new ReleaseCommand(this.key, request)).join()).isEqualTo(Ownership.HELD);
		}
	}

	@ParameterizedTest
	@EnumSource
	void hostileKeysAreLocksOfTheirOwn(DriverUnderTest driver) {
		List<String> hostile = List.of("a:b", "a", "{", "}", "{}", "{tag}x", "nul\0x", "line\nbreak", "*", "a?[b]", "%",
				"%00", "~", "\uD83D\uDD12", "\uD83D", "\uDD12", "é", "x".repeat(1_000_000), "x".repeat(999_999) + "y");
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			for (String text : hostile) {
				assertThat(one.acquire(new LockKey("n", text), one.request()).join()).isInstanceOf(Granted.class);
				assertThat(one.acquire(new LockKey("n", text), one.request()).join()).isInstanceOf(Busy.class);
			}
			assertThat(redis.dbsize()).isEqualTo(hostile.size());
		}
	}

	@ParameterizedTest
	@EnumSource
	void waiterWhenSubscriptionIsOffLeavesItsEntry(DriverUnderTest driver) {
		RedisStoreSettings settings = new RedisStoreSettings("lock:", Duration.ofSeconds(60), Duration.ofSeconds(1),
				false);
		try (StoreUnderTest one = new StoreUnderTest(LeastPrivilege.connect(driver, server), settings)) {
			one.acquire(this.key, one.request()).join();
			one.waitFor(this.key, one.request()).join();
			assertThat(redis.hexists(this.redisKey, "waiters")).as("or readers would overtake it for ever").isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void ttlWhenShorterThanAMillisecondOrEndlessIsBounded(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, server)) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			assertThat(RenewAnswers
				.join(one.store.renew(List.of(new RenewCommand(this.key, request, Duration.ofSeconds(Long.MAX_VALUE)),
						new RenewCommand(this.key, request, Duration.ofNanos(1))))))
				.containsExactly(Ownership.HELD, Ownership.HELD);
		}
	}

	static String failure(CompletableFuture<?> future, Kind kind) {
		assertThat(future).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockStoreException.class, (ex) -> assertThat(ex.getKind()).isEqualTo(kind));
		try {
			future.join();
			return "";
		}
		catch (RuntimeException ex) {
			return ex.getCause().getMessage();
		}
	}

	private static void acl(String user, String... rules) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(user).add("reset");
		Arrays.stream(rules).forEach(args::add);
		redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
	}

	/** No memory is left from now on. */
	private static void fill(RedisServer small) {
		RedisClient filler = RedisClient.create(RedisURI.create(small.host(), small.port()));
		try {
			RedisCommands<String, String> commands = filler.connect().sync();
			commands.set("filler", "x".repeat(1_000_000));
			commands.configSet("maxmemory", "1mb");
		}
		finally {
			filler.shutdown();
		}
	}

}
