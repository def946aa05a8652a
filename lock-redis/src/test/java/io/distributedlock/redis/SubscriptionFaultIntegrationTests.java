package io.distributedlock.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A subscription that can never work is reported once and attempted seldom, and waiters
 * poll.
 */
@ExtendWith(OutputCaptureExtension.class)
class SubscriptionFaultIntegrationTests {

	/** Long enough to notice repeated attempts, which used to log errors every second. */
	private static final Duration SOME_TIME = Duration.ofSeconds(5);

	private final RedisServer server = RedisServers.start();

	private final AtomicInteger attempts = new AtomicInteger();

	@AfterEach
	void stopServer() {
		this.server.close();
	}

	/**
	 * Lettuce has none for it: an error with its stack trace was logged twice a second.
	 */
	@Test
	void subscriptionWhenNodesAreStaticIsReportedOnce(CapturedOutput output) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStaticMasterReplicaConfiguration(this.server.host(), this.server.port()));
		factory.afterPropertiesSet();
		factory.start();
		assertReportedOnce(factory, output, "spring.data.redis.masterreplica.nodes", place());
		factory.destroy();
	}

	@Test
	void subscriptionWhenTheFactoryHasNoneIsReportedOnce(CapturedOutput output) {
		LettuceConnectionFactory factory = (LettuceConnectionFactory) DriverUnderTest.LETTUCE.connect(this.server);
		RuntimeException none = new UnsupportedOperationException("no subscriptions here");
		assertReportedOnce(around(factory, none), output, "no subscriptions here");
		factory.destroy();
	}

	/** As behind a proxy that hangs up: it was attempted each second. */
	@Test
	void subscriptionWhenTheServerAnswersOtherwiseIsAttemptedSeldom(CapturedOutput output) {
		LettuceConnectionFactory factory = (LettuceConnectionFactory) DriverUnderTest.LETTUCE.connect(this.server);
		RuntimeException closed = new RedisConnectionFailureException("closed");
		assertReportedOnce(around(factory, closed), output, "closed");
		assertThat(this.attempts).hasValueLessThan(5);
		factory.destroy();
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void subscriptionWhenForbiddenIsReportedOnce(DriverUnderTest driver, CapturedOutput output) {
		this.server.ask("ACL", "SETUSER", "default", "-subscribe");
		RedisConnectionFactory factory = driver.connect(this.server);
		assertReportedOnce(factory, output, "ACL SETUSER default +subscribe", place());
		DriverUnderTest.close(factory);
	}

	/** A waiter slept for 3 to 4 s, since it was the next one that a release wakes. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void waiterWhenNothingWakesItIsNotToldThatItIsNext(DriverUnderTest driver) {
		this.server.ask("ACL", "SETUSER", "default", "-subscribe");
		try (StoreUnderTest one = new StoreUnderTest(driver.connect(this.server), RedisStoreSettings.DEFAULTS)) {
			LockKey key = StoreUnderTest.newKey();
			one.acquire(key, one.request()).join();
			assertThat(one.isNext(key, one.request())).isFalse();
		}
	}

	/**
	 * It was refused in silence after a reconnect, and never attempted again.
	 */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void subscriptionWhenForbiddenLaterIsReportedOnce(DriverUnderTest driver, CapturedOutput output) {
		try (StoreUnderTest one = new StoreUnderTest(driver.connect(this.server), RedisStoreSettings.DEFAULTS)) {
			Awaitility.await().until(() -> {
				waitInVain(one);
				return one.wokenAll.get() > 0;
			});
			this.server.ask("ACL", "SETUSER", "default", "-subscribe");
			this.server.ask("CLIENT", "KILL", "TYPE", "pubsub");
			Awaitility.await().untilAsserted(() -> assertThat(warnings(output)).hasSize(1));
			Awaitility.await().during(SOME_TIME).until(() -> {
				waitInVain(one);
				return warnings(output).size() == 1;
			});
		}
	}

	/** The connections of Lettuce do not block, so the subscription ended at once. */
	@Test
	void subscriptionWhenTheConnectionDoesNotBlockStays(CapturedOutput output) throws InterruptedException {
		LettuceConnectionFactory factory = (LettuceConnectionFactory) DriverUnderTest.LETTUCE.connect(this.server);
		try (RedisLockStore store = new RedisLockStore(around(factory, null), RedisStoreSettings.DEFAULTS)) {
			assertThat(store).isNotNull();
			StoreUnderTest one = StoreUnderTest.of(store);
			LockKey key = StoreUnderTest.newKey();
			RequestId holder = one.request();
			one.acquire(key, holder).join();
			Awaitility.await().until(() -> {
				one.waitFor(key, one.request()).join();
				return one.wokenAll.get() > 0;
			});
			Awaitility.await().during(SOME_TIME).until(() -> one.wokenAll.get() == 1);
			assertThat(warnings(output)).isEmpty();
			one.release(key, holder).join();
			assertThat(one.awaitWakeUp()).isEqualTo(key.encoded());
		}
		Awaitility.await().until(() -> ((List<?>) this.server.ask("PUBSUB", "CHANNELS", "*")).isEmpty());
		factory.destroy();
	}

	private void assertReportedOnce(RedisConnectionFactory factory, CapturedOutput output, String... said) {
		try (RedisLockStore store = new RedisLockStore(factory, RedisStoreSettings.DEFAULTS)) {
			StoreUnderTest one = StoreUnderTest.of(store);
			Awaitility.await().untilAsserted(() -> {
				waitInVain(one);
				assertThat(warnings(output)).singleElement().asString().contains(said);
			});
			Awaitility.await().during(SOME_TIME).until(() -> {
				waitInVain(one);
				return warnings(output).size() == 1;
			});
			assertThat(output).doesNotContain("ERROR", "\tat ");
		}
	}

	private String place() {
		return this.server.host() + ':' + this.server.port();
	}

	private static void waitInVain(StoreUnderTest one) {
		LockKey key = StoreUnderTest.newKey();
		one.acquire(key, one.request()).join();
		one.waitFor(key, one.request()).join();
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("ubscri") && line.contains(" WARN ")).toList();
	}

	/** A connection factory that the library does not know. */
	private RedisConnectionFactory around(LettuceConnectionFactory factory, @Nullable RuntimeException refusal) {
		return proxy(RedisConnectionFactory.class, factory, refusal);
	}

	private <T> T proxy(Class<T> type, T target, @Nullable RuntimeException refusal) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				if (method.getName().equals("subscribe") && refusal != null) {
					this.attempts.incrementAndGet();
					throw refusal;
				}
				try {
					Object result = method.invoke(target, args);
					return (result instanceof RedisConnection connection)
							? proxy(RedisConnection.class, connection, refusal) : result;
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

}
