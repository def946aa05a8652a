package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link RedisLockStore} where the server does not answer, or comes back.
 */
@Isolated
class RedisOutageIntegrationTests {

	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	private final LockKey key = StoreUnderTest.newKey();

	private RedisServer server;

	@BeforeEach
	void startServer() {
		this.server = RedisServers.start(LeastPrivilege.serverSettings());
	}

	@AfterEach
	void stopServer() {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void callerWhenServerIsFrozenIsNotBlocked(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, this.server)) {
			one.acquire(this.key, one.request()).join();
			this.server.pause();
			long start = System.nanoTime();
			for (int i = 0; i < 100; i++) {
				CompletableFuture<AcquireOutcome> outcome = one.acquire(this.key, one.request());
				assertThat(outcome).isNotDone();
				outcome.cancel(true);
				assertThat(outcome).isCancelled();
			}
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
			this.server.resume();
			awaitBusy(one);
		}
	}

	@ParameterizedTest
	@EnumSource
	void callerWhenServerIsFrozenFromTheStartIsNotBlocked(DriverUnderTest driver) {
		this.server.pause();
		// The connections that Jedis makes for locks wait as long as a command may take.
		RedisStoreSettings settings = (driver == DriverUnderTest.JEDIS) ? StoreUnderTest.PATIENT : driver.settings();
		try (StoreUnderTest one = new StoreUnderTest(driver.connect(LeastPrivilege.at(this.server)), settings)) {
			long start = System.nanoTime();
			CompletableFuture<AcquireOutcome> outcome = one.acquire(this.key, one.request());
			// The drivers wait for ten.
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
			this.server.resume();
			assertThat(outcome).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class);
		}
	}

	@ParameterizedTest
	@EnumSource
	void commandWhenServerWasDownAtTheStartWorksOnceItIsUp(DriverUnderTest driver) {
		this.server.kill();
		try (StoreUnderTest one = new StoreUnderTest(driver, this.server)) {
			assertThat(RedisLockStoreIntegrationTests.failure(one.acquire(this.key, one.request()), Kind.UNAVAILABLE))
				.contains("acquire", this.key.encoded());
			this.server.start();
			assertThat(one.acquire(this.key, one.request()).join()).isInstanceOf(Granted.class);
		}
	}

	/** It said "no answer in time", and neither from where nor why. */
	@ParameterizedTest
	@EnumSource
	void callerWhenServerIsGoneIsToldHostPortAndCause(DriverUnderTest driver) {
		RedisConnectionFactory factory = driver.connect(LeastPrivilege.at(this.server));
		LockRequest once = LockRequest.of("gone").waitFor(Duration.ZERO);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(
				new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			registry.acquire(once.waitFor(StoreUnderTest.PATIENCE)).close();
			this.server.kill();
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> registry.acquire(once))
					.withMessageContaining("Redis at " + this.server.host() + ':' + this.server.port())
					// Lettuce keeps commands until it has reconnected.
					.withMessageContaining(
							(driver == DriverUnderTest.JEDIS) ? "Connection refused" : "no answer within")
					.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(LeastPrivilege.PASSWORD)));
		}
		finally {
			DriverUnderTest.close(factory);
		}
	}

	@ParameterizedTest
	@EnumSource
	void waiterWhenServerRestartsIsToldToLookAndIsWokenAgain(DriverUnderTest driver) throws InterruptedException {
		try (StoreUnderTest one = new StoreUnderTest(driver, this.server);
				StoreUnderTest two = new StoreUnderTest(driver, this.server)) {
			one.acquire(this.key, one.request()).join();
			two.waitFor(this.key, two.request()).join();
			int before = awaitSubscribed(two);
			this.server.kill();
			this.server.start();
			Awaitility.await().until(() -> two.wokenAll.get() > before);
			assertWakesUp(one, two);
		}
	}

	@ParameterizedTest
	@EnumSource
	void waiterWhenSubscriptionIsCutIsToldToLookAndIsWokenAgain(DriverUnderTest driver) throws InterruptedException {
		try (StoreUnderTest one = new StoreUnderTest(driver, this.server);
				StoreUnderTest two = new StoreUnderTest(driver, this.server)) {
			one.acquire(this.key, one.request()).join();
			two.waitFor(this.key, two.request()).join();
			int before = awaitSubscribed(two);
			cutSubscriptions();
			Awaitility.await().until(() -> two.wokenAll.get() > before);
			assertWakesUp(one, two);
		}
	}

	@Test
	void commandWhenCancelledBeforeItWasSentIsNeverSent() {
		try (StoreUnderTest one = new StoreUnderTest(DriverUnderTest.LETTUCE, this.server);
				StoreUnderTest two = new StoreUnderTest(DriverUnderTest.LETTUCE, this.server)) {
			one.acquire(StoreUnderTest.newKey(), one.request()).join();
			this.server.kill();
			RequestId request = one.request();
			CompletableFuture<AcquireOutcome> outcome = one.acquire(this.key, request);
			outcome.cancel(true);
			this.server.start();
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> one.renew(StoreUnderTest.newKey(), one.request()).join() == Ownership.LOST);
			assertThat(two.acquire(this.key, two.request()).join()).isInstanceOf(Granted.class);
		}
	}

	@Test
	void commandWhenCancelledBeforeTheConnectionIsOpenIsNeverSent() {
		this.server.pause();
		try (StoreUnderTest one = new StoreUnderTest(DriverUnderTest.LETTUCE, this.server);
				StoreUnderTest two = new StoreUnderTest(DriverUnderTest.LETTUCE, this.server)) {
			one.acquire(this.key, one.request()).cancel(true);
			CompletableFuture<AcquireOutcome> later = one.acquire(StoreUnderTest.newKey(), one.request());
			this.server.resume();
			assertThat(later).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class);
			assertThat(two.acquire(this.key, two.request()).join()).isInstanceOf(Granted.class);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "LETTUCE_UNSHARED" })
	void commandWhenFactoryWasRestartedWorks(DriverUnderTest driver) {
		try (StoreUnderTest one = StoreUnderTest.shared(driver, this.server)) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			((LettuceConnectionFactory) one.factory).stop();
			assertThat(RedisLockStoreIntegrationTests.failure(one.renew(this.key, request), Kind.UNAVAILABLE))
				.contains("renew");
			((LettuceConnectionFactory) one.factory).start();
			assertThat(one.renew(this.key, request).join()).isEqualTo(Ownership.HELD);
		}
	}

	@Test
	void waiterWhenFactoryWasRestartedIsWokenAgain() throws InterruptedException {
		try (StoreUnderTest one = StoreUnderTest.shared(DriverUnderTest.LETTUCE, this.server);
				StoreUnderTest two = StoreUnderTest.shared(DriverUnderTest.LETTUCE, this.server)) {
			one.acquire(this.key, one.request()).join();
			two.waitFor(this.key, two.request()).join();
			int before = awaitSubscribed(two);
			((LettuceConnectionFactory) two.factory).stop();
			((LettuceConnectionFactory) two.factory).start();
			two.waitFor(this.key, two.request()).join();
			Awaitility.await().until(() -> two.wokenAll.get() > before);
			assertWakesUp(one, two);
		}
	}

	@Test
	void commandWhenFactoryResetItsConnectionWorks() {
		try (StoreUnderTest one = StoreUnderTest.shared(DriverUnderTest.LETTUCE, this.server)) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			((LettuceConnectionFactory) one.factory).resetConnection();
			assertThat(one.renew(this.key, request).join()).isEqualTo(Ownership.HELD);
		}
	}

	/** As a context that is stopped and started again does it. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void commandWhenStoreWasStoppedAndStartedWorks(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, this.server)) {
			RequestId request = one.request();
			one.acquire(this.key, request).join();
			assertThat(one.store.isRunning()).isTrue();
			one.store.stop();
			assertThat(one.store.isRunning()).isFalse();
			assertThat(RedisLockStoreIntegrationTests.failure(one.renew(this.key, request), Kind.UNAVAILABLE))
				.contains("renew");
			one.store.start();
			assertThat(one.renew(this.key, request).join()).isEqualTo(Ownership.HELD);
		}
	}

	/** Each command that Lettuce had rejected asked for a new subscription. */
	@Test
	void connectionWhenLettuceRejectsCommandsIsNotTakenForANewOne() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(LeastPrivilege.at(this.server),
				LettuceClientConfiguration.builder()
					.clientOptions(ClientOptions.builder()
						.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
						.build())
					.build());
		factory.afterPropertiesSet();
		factory.start();
		AtomicInteger reopened = new AtomicInteger();
		try (ScriptRunner runner = RedisDrivers.of(factory).scripts((key) -> "", reopened::incrementAndGet)) {
			assertThat(isAnswered(runner)).isTrue();
			this.server.kill();
			Awaitility.await().until(() -> !isAnswered(runner));
			assertThat(Stream.generate(() -> isAnswered(runner)).limit(100)).containsOnly(false);
			assertThat(reopened).hasValue(0);
			this.server.start();
			Awaitility.await().until(() -> isAnswered(runner));
		}
		factory.destroy();
	}

	private static boolean isAnswered(ScriptRunner runner) {
		ScriptCommand<?> contact = ScriptCommand.renew(WireCommand.server(RedisStoreSettings.DEFAULTS),
				List.of(new RenewCommand(new LockKey("", "k"), new RequestId(1, 1), Duration.ofSeconds(1))));
		return contact.send(runner).handle((answer, failure) -> failure == null).join();
	}

	/** They were queued without a bound. */
	@Test
	void subscriptionWhenAskedForAgainAndAgainIsMadeOnce() {
		try (StoreUnderTest one = new StoreUnderTest(DriverUnderTest.LETTUCE, this.server);
				RedisWakeUpChannel channel = new RedisWakeUpChannel(RedisDrivers.of(one.factory), "lock:!wake:again",
						one)) {
			channel.subscribe();
			Awaitility.await().until(() -> calls("subscribe") > 0);
			Stream.generate(() -> channel).limit(10_000).forEach(RedisWakeUpChannel::resubscribe);
			Awaitility.await().during(Duration.ofSeconds(1)).until(() -> calls("subscribe") < 20);
		}
	}

	private long calls(String command) {
		return CommandCounts.of(this.server, command);
	}

	@ParameterizedTest
	@EnumSource
	void commandWhenStoreIsClosedFails(DriverUnderTest driver) {
		StoreUnderTest one = new StoreUnderTest(driver, this.server);
		one.acquire(this.key, one.request()).join();
		one.close();
		one.store.close();
		RedisLockStoreIntegrationTests.failure(one.acquire(this.key, one.request()), Kind.UNAVAILABLE);
	}

	@ParameterizedTest
	@EnumSource
	void closeWhenServerIsFrozenEndsAndLeavesNoThread(DriverUnderTest driver) {
		try (StoreUnderTest one = new StoreUnderTest(driver, this.server)) {
			one.acquire(this.key, one.request()).join();
			one.waitFor(this.key, one.request()).join();
			awaitSubscribed(one);
			this.server.pause();
			long start = System.nanoTime();
			one.store.close();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
			this.server.resume();
		}
		Awaitility.await().until(this::hasNoThread);
	}

	/** The number of wake-ups of all keys at the time of the subscription. */
	private static int awaitSubscribed(StoreUnderTest store) {
		Awaitility.await().until(() -> store.wokenAll.get() > 0);
		return store.wokenAll.get();
	}

	private boolean hasNoThread() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("distributed-lock-") && !this.before.contains(thread));
	}

	private static void awaitBusy(StoreUnderTest one) {
		LockKey other = StoreUnderTest.newKey();
		assertThat(one.acquire(other, one.request())).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class);
		assertThat(one.acquire(other, one.request()).join()).isInstanceOf(Busy.class);
	}

	private static void assertWakesUp(StoreUnderTest one, StoreUnderTest two) throws InterruptedException {
		LockKey other = StoreUnderTest.newKey();
		RequestId request = one.request();
		Awaitility.await().ignoreExceptions().until(() -> one.acquire(other, request).join() instanceof Granted);
		Awaitility.await().ignoreExceptions().until(() -> two.waitFor(other, two.request()).join() instanceof Busy);
		assertThat(one.store.release(new ReleaseCommand(other, request)).join()).isEqualTo(Ownership.HELD);
		assertThat(two.awaitWakeUp()).isEqualTo(other.encoded());
	}

	private void cutSubscriptions() {
		RedisClient client = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));
		try {
			client.connect().sync().clientKill(KillArgs.Builder.typePubsub());
		}
		finally {
			client.shutdown();
		}
	}

}
