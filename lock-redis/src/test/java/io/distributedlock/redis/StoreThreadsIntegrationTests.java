package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that is closed leaves no thread behind, whatever the server does.
 */
@Isolated
class StoreThreadsIntegrationTests {

	private static final Duration LETTUCE_TIMEOUT = Duration.ofSeconds(45);

	/** Nothing ends the reading of an answer before that. */
	private static final Duration JEDIS_TIMEOUT = Duration.ofSeconds(2);

	/** The first words on a connection, in a check, in a subscription, and so on. */
	private static final List<String> WORDS = List.of("", "EVALSHA", "0".repeat(40), "SUBSCRIBE", "UNSUBSCRIBE",
			"WAIT");

	private static RedisServer server;

	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	/**
	 * All at the same time, since they wait. The threads of each are in a group of their
	 * own, as far as they were not started by those that a JVM has once; so look for them
	 * all in the end.
	 */
	@ParameterizedTest
	@EnumSource
	void threadsWhenTheServerFallsSilentEndSoonAfterTheStore(DriverUnderTest driver) {
		Stream<CompletableFuture<Void>> open = words(driver)
			.map((word) -> start(word + ", factory open", () -> closeStore(driver, word)));
		Stream<CompletableFuture<Void>> closed = words(driver)
			.map((word) -> start(word + ", factory closed", () -> closeStoreAndFactory(driver, word)));
		List<CompletableFuture<Void>> scenarios = Stream.concat(open, closed).toList();
		assertThat(scenarios).allSatisfy((each) -> assertThat(each).succeedsWithin(Patience.CEILING));
		assertNoneLeftSoon();
	}

	/** Replicas are waited for with Lettuce only. */
	private static Stream<String> words(DriverUnderTest driver) {
		return WORDS.stream().filter((word) -> driver != DriverUnderTest.JEDIS || !word.equals("WAIT"));
	}

	private void closeStore(DriverUnderTest driver, String word) {
		try (MuteServer mute = new MuteServer(server, word)) {
			RedisConnectionFactory factory = connect(driver, mute.address());
			closeWhenSilent(busyStore(factory), mute, word);
			assertNoneLeftSoon();
			DriverUnderTest.close(factory);
		}
	}

	/** The driver waits without end for a connection that its client began to open. */
	private void closeStoreAndFactory(DriverUnderTest driver, String word) {
		try (MuteServer mute = new MuteServer(server, word)) {
			RedisConnectionFactory factory = connect(driver, mute.address());
			closeWhenSilent(busyStore(factory), mute, word);
			DriverUnderTest.close(factory);
			assertNoneLeftSoon();
		}
	}

	private static RedisConnectionFactory connect(DriverUnderTest driver, RedisStandaloneConfiguration address) {
		return driver.connect(address, (driver == DriverUnderTest.JEDIS) ? JEDIS_TIMEOUT : LETTUCE_TIMEOUT);
	}

	/** A subscription ends when the store does. */
	private static void closeWhenSilent(StoreUnderTest one, MuteServer mute, String word) {
		boolean atTheEnd = word.equals("UNSUBSCRIBE");
		Awaitility.await().until(() -> mute.silent() > 0 || (atTheEnd && one.wokenAll.get() > 0));
		one.store.close();
	}

	private static CompletableFuture<Void> start(String name, Runnable scenario) {
		ThreadGroup group = new ThreadGroup(name);
		return CompletableFuture.runAsync(scenario, (task) -> new Thread(group, task, name).start());
	}

	@ParameterizedTest
	@EnumSource
	void threadsWhenTheServerIsDownEndSoonAfterTheStore(DriverUnderTest driver) {
		RedisServer gone = RedisServers.start();
		RedisConnectionFactory factory = driver.connect(gone);
		gone.close();
		busyStore(factory).store.close();
		assertNoneLeftSoon();
		DriverUnderTest.close(factory);
	}

	/** Older versions of Spring Data Redis have a {@code Jedis} for each connection. */
	@ParameterizedTest
	@ValueSource(strings = { "SUBSCRIBE", "UNSUBSCRIBE" })
	void threadsWhenTheServerIsSilentToJedisEndSoonAfterTheStore(String word) {
		try (MuteServer mute = new MuteServer(server, word)) {
			JedisConnectionFactory factory = new JedisConnectionFactory(mute.address(),
					JedisClientConfiguration.builder().usePooling().build());
			DriverUnderTest.setUseUnifiedJedis(factory, false);
			factory.afterPropertiesSet();
			factory.start();
			closeWhenSilent(busyStore(factory), mute, word);
			assertNoneLeftSoon();
			factory.destroy();
		}
	}

	/**
	 * The only connection is in use, and the pool waits without end. There are more
	 * commands than threads.
	 */
	@Test
	void threadsWhenThePoolHasNoConnectionLeftEndSoonAfterTheStore() {
		JedisConnectionFactory factory = DriverUnderTest.connectOnce(server);
		Pool<Connection> pool = ((RedisClient) factory.getConnection().getNativeConnection()).getPool();
		try (Connection application = pool.getResource()) {
			StoreUnderTest one = new StoreUnderTest(factory, RedisStoreSettings.DEFAULTS.withSharedConnection());
			List<CompletableFuture<AcquireOutcome>> outcomes = Stream
				.generate(() -> one.acquire(StoreUnderTest.newKey(), one.request()))
				.limit(10)
				.toList();
			Awaitility.await().until(() -> pool.getNumWaiters() > 0);
			one.store.close();
			assertNoneLeftSoon();
			assertThat(outcomes).allSatisfy((outcome) -> assertThat(outcome).isCompletedExceptionally());
			assertThat(application.ping()).isTrue();
		}
		factory.destroy();
	}

	/** Where a context is closed at once, its check was left waiting without end. */
	@RepeatedTest(40)
	void threadsWhenTheStoreIsClosedAfterItsCheckEndSoon() {
		StoreUnderTest one = new StoreUnderTest(DriverUnderTest.LETTUCE.connect(server), RedisStoreSettings.DEFAULTS);
		one.store.checkPermissions().join();
		one.close();
		assertNoneLeftSoon();
	}

	/** Threads for callbacks stayed for five seconds. */
	@ParameterizedTest
	@EnumSource
	void threadsWhenTheRegistryIsClosedDoNotWaitForWorkAnyMore(DriverUnderTest driver) {
		RedisConnectionFactory factory = driver.connect(server);
		DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, driver.settings()));
		registry.acquireAsync(LockRequest.of(driver.name())).thenCompose(Lease::release).toCompletableFuture().join();
		registry.close();
		DriverUnderTest.close(factory);
		Awaitility.await()
			.atMost(Duration.ofSeconds(4))
			.untilAsserted(() -> assertThat(left(Thread.currentThread().getThreadGroup())).isEmpty());
	}

	/** An interrupt cut the closing short, and with Jedis a thread stayed subscribed. */
	@ParameterizedTest
	@EnumSource
	void threadsWhenTheStoreIsClosedByAnInterruptedThreadEndSoon(DriverUnderTest driver) {
		StoreUnderTest one = new StoreUnderTest(driver.connect(server), RedisStoreSettings.DEFAULTS);
		LockKey key = StoreUnderTest.newKey();
		one.acquire(key, one.request()).join();
		one.waitFor(key, one.request());
		Awaitility.await().until(() -> one.wokenAll.get() > 0);
		Thread.currentThread().interrupt();
		one.store.close();
		assertThat(Thread.interrupted()).isTrue();
		assertNoneLeftSoon();
		one.close();
	}

	/** Does whatever needs a thread, so that some wait for the server. */
	private static StoreUnderTest busyStore(RedisConnectionFactory factory) {
		int replicas = (factory instanceof LettuceConnectionFactory) ? 1 : 0;
		RedisStoreSettings settings = RedisStoreSettings.DEFAULTS
			.withReplicaAcks(new ReplicaAcks(replicas, ReplicaAcks.NONE.timeout()));
		StoreUnderTest one = new StoreUnderTest(factory, settings);
		LockKey key = StoreUnderTest.newKey();
		CompletableFuture<Void> check = one.store.checkPermissions();
		// The first takes the lock, which no replica confirms, and the second waits for
		// it.
		check.handle((nothing, failure) -> one.waitFor(key, one.request()))
			.thenCompose((first) -> first.handle((outcome, failure) -> one.waitFor(key, one.request())));
		return one;
	}

	private void assertNoneLeftSoon() {
		ThreadGroup caller = Thread.currentThread().getThreadGroup();
		Awaitility.await().untilAsserted(() -> assertThat(left(caller)).isEmpty());
	}

	/** The threads left that the caller has started, or others that it has started. */
	private List<String> left(ThreadGroup caller) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("distributed-lock") && !this.before.contains(thread))
			.filter((thread) -> isIn(caller, thread.getThreadGroup()))
			.map(Thread::getName)
			.toList();
	}

	/** None has a thread that has ended. */
	private static boolean isIn(ThreadGroup group, @Nullable ThreadGroup other) {
		return other != null && group.parentOf(other);
	}

}
