package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How waiters are woken in a cluster whose servers have sharded channels.
 */
@Tag("sharded-channels")
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class ShardedWakeUpIntegrationTests {

	private static final Duration WAITING = Duration.ofSeconds(60);

	/** After which a master is replaced that is dead or frozen. */
	private static final Duration SILENCE = Duration.ofMillis(1500);

	/** Not longer, since what was sent to a frozen master has to be given up. */
	private static final Duration TIMEOUT = Duration.ofSeconds(4);

	private static final Pattern CALLS = Pattern.compile("cmdstat_(s?publish):calls=(\\d+)");

	private static RedisCluster cluster;

	private StoreUnderTest here;

	private StoreUnderTest there;

	@BeforeAll
	static void startServers() {
		cluster = RedisCluster.start(LeastPrivilege.clusterSettings());
	}

	@AfterAll
	static void stopServers() {
		cluster.close();
	}

	@BeforeEach
	void start() {
		cluster.awaitHealthy();
		cluster.allowSilence(WAITING);
		this.here = store(DriverUnderTest.LETTUCE);
		this.there = store(DriverUnderTest.LETTUCE);
	}

	@AfterEach
	void stop() {
		this.here.close();
		this.there.close();
	}

	private static StoreUnderTest store(DriverUnderTest driver) {
		return new StoreUnderTest(TopologyDrivers.cluster(driver, cluster.nodes(), TIMEOUT),
				RedisStoreSettings.DEFAULTS);
	}

	@Test
	void releaseTellsTheWaiterOnlyInTheSlotOfTheLock() throws InterruptedException {
		LockKey key = StoreUnderTest.newKey();
		RequestId owner = take(this.there, key);
		RequestId waiter = waitFor(this.here, key);
		awaitSubscription(master(key), key, waiter);
		await().until(() -> plainChannels().isEmpty());
		long all = calls("publish");
		long one = calls("spublish");
		this.there.store.release(new ReleaseCommand(key, owner)).join();
		assertThat(this.here.awaitWakeUp()).isEqualTo(key.encoded());
		assertThat(calls("publish")).isEqualTo(all);
		assertThat(calls("spublish")).isEqualTo(one + 1);
	}

	/** The release may have been before the subscription. */
	@Test
	void waiterLooksAgainWhenItListensAndNotBefore() throws InterruptedException {
		LockKey key = StoreUnderTest.newKey();
		take(this.there, key);
		waitFor(this.here, key);
		assertThat(this.here.lookedAgain.poll(25, TimeUnit.SECONDS)).isEqualTo(key.encoded());
		waitFor(this.here, key);
		LockKey other = sameSlot(key);
		take(this.there, other);
		waitFor(this.here, other);
		assertThat(this.here.wokenAll).hasValue(0);
		assertThat(this.here.lookedAgain).as("it listens all the time").isEmpty();
	}

	@Test
	void nothingIsLeftWhenNobodyWaits() {
		LockKey key = StoreUnderTest.newKey();
		take(this.there, key);
		RequestId waiter = this.here.request();
		assertThat(this.here.store
			.acquire(new AcquireCommand(key, waiter,
					new AcquireCommand.Times(StoreUnderTest.TTL, Duration.ZERO, Duration.ofSeconds(1))))
			.join()).isInstanceOf(Busy.class);
		awaitSubscription(master(key), key, waiter);
		await().until(() -> shardChannels(master(key)).isEmpty());
		await().until(() -> cluster.masters().stream().allMatch((master) -> subscribers(master) == 0));
	}

	@Test
	void closeEndsEverySubscription() {
		LockKey key = StoreUnderTest.newKey();
		take(this.there, key);
		awaitSubscription(master(key), key, waitFor(this.here, key));
		this.here.store.close();
		await().until(() -> shardChannels(master(key)).isEmpty());
	}

	/** The client does not look at the cluster by itself. */
	@Test
	void waiterWhenItsSlotMovesIsToldToLookAndIsWokenThere() throws InterruptedException {
		try (StoreUnderTest still = new StoreUnderTest(TopologyDrivers.plainLettuceCluster(cluster.nodes()),
				RedisStoreSettings.DEFAULTS)) {
			LockKey key = StoreUnderTest.newKey();
			RequestId owner = take(this.there, key);
			RequestId waiter = waitFor(still, key);
			RedisServer source = master(key);
			awaitSubscription(source, key, waiter);
			assertThat(still.lookedAgain.poll(25, TimeUnit.SECONDS)).isEqualTo(key.encoded());
			RedisServer target = cluster.masters().stream().filter((node) -> node != source).findFirst().orElseThrow();
			cluster.beginMove(slot(key), target);
			cluster.endMove(slot(key), target);
			awaitSubscription(target, key, waiter);
			assertThat(still.lookedAgain.poll(25, TimeUnit.SECONDS)).isEqualTo(key.encoded());
			assertThat(shardChannels(source)).isEmpty();
			this.there.store.release(new ReleaseCommand(key, owner)).join();
			assertThat(still.awaitWakeUp()).isEqualTo(key.encoded());
		}
	}

	@Test
	void waiterWhenItsConnectionIsCutIsToldToLookAndIsWokenAgain() throws InterruptedException {
		LockKey key = StoreUnderTest.newKey();
		RequestId owner = take(this.there, key);
		waitFor(this.here, key);
		assertThat(this.here.lookedAgain.poll(25, TimeUnit.SECONDS)).isEqualTo(key.encoded());
		assertThat((Long) master(key).ask("CLIENT", "KILL", "TYPE", "pubsub")).isPositive();
		assertThat(this.here.lookedAgain.poll(25, TimeUnit.SECONDS)).isEqualTo(key.encoded());
		this.there.store.release(new ReleaseCommand(key, owner)).join();
		assertThat(this.here.awaitWakeUp()).isEqualTo(key.encoded());
	}

	@ParameterizedTest
	@EnumSource
	void waiterWhenItsMasterIsReplacedIsToldToLookAndIsWokenByTheNext(Replacement replacement)
			throws InterruptedException {
		LockKey key = StoreUnderTest.newKey();
		take(this.there, key);
		RequestId waiter = waitFor(this.here, key);
		RedisServer old = master(key);
		awaitSubscription(old, key, waiter);
		this.here.lookedAgain.clear();
		RedisServer next = replacement.begin(old, slot(key));
		try {
			awaitSubscription(next, key, waiter);
			assertThat(this.here.lookedAgain.poll(25, TimeUnit.SECONDS)).isEqualTo(key.encoded());
			LockKey other = sameSlot(key);
			RequestId owner = this.there.request();
			await().ignoreExceptions()
				.until(() -> this.there.acquire(other, owner).get(2, TimeUnit.SECONDS) instanceof Granted);
			RequestId again = this.here.request();
			await().ignoreExceptions()
				.until(() -> this.here.waitFor(other, again).get(2, TimeUnit.SECONDS) instanceof Busy);
			this.there.store.release(new ReleaseCommand(other, owner)).join();
			assertThat(this.here.awaitWakeUp()).isEqualTo(other.encoded());
		}
		finally {
			replacement.end(old);
		}
	}

	@Test
	void instancesThatListenInDifferentWaysWakeEachOther() throws InterruptedException {
		try (StoreUnderTest jedis = store(DriverUnderTest.JEDIS)) {
			LockKey key = StoreUnderTest.newKey();
			RequestId first = take(this.there, key);
			waitFor(jedis, key);
			await().until(() -> jedis.wokenAll.get() > 0);
			RequestId waiter = waitFor(this.here, key);
			awaitSubscription(master(key), key, waiter);
			this.there.store.release(new ReleaseCommand(key, first)).join();
			assertThat(jedis.awaitWakeUp()).isEqualTo(key.encoded());
			RequestId second = take(jedis, key);
			jedis.store.release(new ReleaseCommand(key, second)).join();
			assertThat(this.here.awaitWakeUp()).isEqualTo(key.encoded());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "spublish", "ssubscribe" })
	void waiterWhoMayNotUseShardedChannelsIsWokenByMessagesToAll(String command, CapturedOutput output)
			throws InterruptedException {
		LockKey key = StoreUnderTest.newKey();
		RequestId owner = take(this.there, key);
		allow('-' + command);
		try {
			waitFor(this.here, key);
			await().until(() -> this.here.wokenAll.get() > 0);
			waitFor(this.here, key);
			this.there.store.release(new ReleaseCommand(key, owner)).join();
			assertThat(this.here.awaitWakeUp()).isEqualTo(key.encoded());
			assertThat(output).containsOnlyOnce("ACL SETUSER locks +" + command);
			await().until(() -> cluster.masters().stream().allMatch((master) -> shardChannels(master).isEmpty()));
		}
		finally {
			allow('+' + command);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "spublish", "ssubscribe", "sunsubscribe" })
	void checkWhenOneMasterForbidsACommandWarnsOnce(String command, CapturedOutput output) {
		RedisServer third = cluster.masters().get(2);
		third.ask("ACL", "SETUSER", LeastPrivilege.USER, '-' + command);
		try {
			this.here.store.checkPermissions().join();
			await().until(() -> output.getOut().contains("ACL SETUSER locks +" + command));
			await().until(() -> this.here.wokenAll.get() > 0);
			assertThat(output).containsOnlyOnce("ACL SETUSER");
		}
		finally {
			third.ask("ACL", "SETUSER", LeastPrivilege.USER, '+' + command);
		}
	}

	/** It only has to wake others. */
	@Test
	void checkWhenAnInstanceThatDoesNotListenThereMayNotPublishWarns(CapturedOutput output) {
		allow("-spublish");
		try (StoreUnderTest jedis = store(DriverUnderTest.JEDIS)) {
			jedis.store.checkPermissions().join();
			assertThat(output).containsOnlyOnce("ACL SETUSER locks +spublish");
		}
		finally {
			allow("+spublish");
		}
	}

	@Test
	void checkWhenAllIsAllowedIsQuietAndLeavesNoConnection(CapturedOutput output) {
		cluster.nodes().forEach((node) -> node.ask("ACL", "LOG", "RESET"));
		long before = cluster.masters().stream().mapToLong(ShardedWakeUpIntegrationTests::subscriptions).sum();
		this.here.store.checkPermissions().join();
		await().until(
				() -> cluster.masters().stream().mapToLong(ShardedWakeUpIntegrationTests::subscriptions).sum() >= before
						+ 3);
		await().until(() -> cluster.masters().stream().allMatch((master) -> subscribers(master) == 0));
		assertThat(output).doesNotContain("ACL SETUSER");
		cluster.nodes().forEach(LeastPrivilege::assertNothingWasRefused);
	}

	private static void allow(String change) {
		cluster.nodes().forEach((node) -> node.ask("ACL", "SETUSER", LeastPrivilege.USER, change));
	}

	private static RequestId take(StoreUnderTest store, LockKey key) {
		RequestId request = store.request();
		assertThat(store.acquire(key, request).join()).isInstanceOf(Granted.class);
		return request;
	}

	private static RequestId waitFor(StoreUnderTest store, LockKey key) {
		RequestId request = store.request();
		AcquireCommand.Times times = new AcquireCommand.Times(StoreUnderTest.TTL, Duration.ZERO, WAITING);
		assertThat(store.store.acquire(new AcquireCommand(key, request, times)).join()).isInstanceOf(Busy.class);
		return request;
	}

	private static int slot(LockKey key) {
		return cluster.slotOf("lock:" + key.encoded());
	}

	private static RedisServer master(LockKey key) {
		return cluster.masterOf(slot(key));
	}

	/** Another lock in the same slot. */
	private static LockKey sameSlot(LockKey key) {
		return new LockKey("", '{' + "lock:" + key.encoded() + '}' + StoreUnderTest.newKey().key());
	}

	private static void awaitSubscription(RedisServer node, LockKey key, RequestId waiter) {
		String tag = new String(SlotTags.of(slot(key)), StandardCharsets.US_ASCII);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> shardChannels(node).contains("lock:!wake:{" + tag + "}:" + waiter.instance()));
	}

	private static List<String> shardChannels(RedisServer node) {
		return ((List<?>) node.ask("PUBSUB", "SHARDCHANNELS")).stream().map(Object::toString).toList();
	}

	private static List<?> plainChannels() {
		return cluster.nodes()
			.stream()
			.flatMap((node) -> ((List<?>) node.ask("PUBSUB", "CHANNELS", "lock:!wake:*")).stream())
			.toList();
	}

	/** Connections whose last command was about sharded channels. */
	private static long subscribers(RedisServer node) {
		return Arrays.stream(node.ask("CLIENT", "LIST").toString().split("\n"))
			.filter((line) -> line.contains("cmd=ssubscribe") || line.contains("cmd=sunsubscribe"))
			.count();
	}

	private static long subscriptions(RedisServer node) {
		return Pattern.compile("cmdstat_sunsubscribe:calls=(\\d+)")
			.matcher(node.ask("INFO", "commandstats").toString())
			.results()
			.mapToLong((result) -> Long.parseLong(result.group(1)))
			.sum();
	}

	/** On all nodes, in scripts and outside of them. */
	private static long calls(String command) {
		return cluster.nodes()
			.stream()
			.flatMap((node) -> CALLS.matcher(node.ask("INFO", "commandstats").toString()).results())
			.filter((result) -> result.group(1).equals(command))
			.map((MatchResult result) -> result.group(2))
			.mapToLong(Long::parseLong)
			.sum();
	}

	/** In which way a master loses its slots. */
	enum Replacement {

		KILLED {

			@Override
			RedisServer begin(RedisServer old, int slot) {
				cluster.allowSilence(SILENCE);
				old.kill();
				return cluster.awaitMasterOtherThan(slot, old);
			}

			@Override
			void end(RedisServer old) {
				old.start();
			}

		},

		FROZEN {

			@Override
			RedisServer begin(RedisServer old, int slot) {
				cluster.allowSilence(SILENCE);
				old.pause();
				return cluster.awaitMasterOtherThan(slot, old);
			}

			@Override
			void end(RedisServer old) {
				old.resume();
			}

		},

		FAILED_OVER {

			@Override
			RedisServer begin(RedisServer old, int slot) {
				return cluster.failOver(old);
			}

			@Override
			void end(RedisServer old) {
				// It is a replica and content.
			}

		};

		abstract RedisServer begin(RedisServer old, int slot);

		abstract void end(RedisServer old);

	}

}
