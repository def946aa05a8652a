package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LeakDetection;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.ReplicaAcks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DistributedLockPropertiesTests {

	private final ApplicationContextRunner memory = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@Test
	void optionsWhenNothingIsSetAreTheDefaults() {
		assertThat(resolve("any")).isEqualTo(LockOptions.DEFAULTS);
	}

	@Test
	void enginePropertiesWhenNothingIsSetAreTheDefaults() {
		assertThat(engineSettings(Map.of())).isEqualTo(EngineSettings.DEFAULTS);
	}

	@Test
	void redisPropertiesWhenNothingIsSetAreTheDefaults() {
		assertThat(redisSettings(Map.of())).isEqualTo(RedisStoreSettings.DEFAULTS);
	}

	@Test
	void globalPropertiesWhenSetAreTheOptionsOfEveryLock() {
		LockOptions options = resolve("any", "distributed-lock.ttl=20s", "distributed-lock.wait=0",
				"distributed-lock.renew=false", "distributed-lock.max-hold=PT5M",
				"distributed-lock.when-unavailable=proceed");
		assertThat(options).isEqualTo(new LockOptions(Duration.ofSeconds(20), Duration.ZERO, false,
				Duration.ofMinutes(5), Duration.ZERO, Duration.ZERO, LockMode.EXCLUSIVE, null, null, WhenBusy.THROW,
				WhenLost.THROW, WhenUnavailable.PROCEED));
	}

	@Test
	void profileWhenSetWinsOverTheRequest() {
		LockOptions requested = LockOptions.NONE.withTtl(Duration.ofHours(1)).withWaitFor(Duration.ofHours(1));
		this.memory
			.withPropertyValues("distributed-lock.locks.stock.ttl=7s", "distributed-lock.locks.stock.wait=1s",
					"distributed-lock.locks.stock.renew=false", "distributed-lock.locks.stock.max-hold=1m",
					"distributed-lock.locks.stock.keep-for=2m", "distributed-lock.locks.stock.lock-delay=15s",
					"distributed-lock.locks.stock.when-busy=skip", "distributed-lock.locks.stock.when-lost=interrupt",
					"distributed-lock.locks.stock.when-unavailable=skip")
			.run((context) -> assertThat(context.getBean(LockProfiles.class).resolve("stock", requested))
				.isEqualTo(new LockOptions(Duration.ofSeconds(7), Duration.ofSeconds(1), false, Duration.ofMinutes(1),
						Duration.ofMinutes(2), Duration.ofSeconds(15), LockMode.EXCLUSIVE, null, null, WhenBusy.SKIP,
						WhenLost.INTERRUPT, WhenUnavailable.SKIP)));
	}

	@Test
	void modeWhenSetInTheProfileWinsOverTheRequest() {
		LockOptions requested = LockOptions.NONE.withMode(LockMode.SEMAPHORE).withPermits(3);
		this.memory
			.withPropertyValues("distributed-lock.locks.exports.permits=5", "distributed-lock.locks.prices.mode=read",
					"distributed-lock.locks.jobs.mode=semaphore", "distributed-lock.locks.jobs.permits=2")
			.run((context) -> {
				LockProfiles profiles = context.getBean(LockProfiles.class);
				assertThat(profiles.resolve("exports", requested).permits()).isEqualTo(5);
				assertThat(profiles.resolve("prices", LockOptions.NONE).mode()).isEqualTo(LockMode.READ);
				assertThat(profiles.resolve("jobs", requested.withMode(LockMode.FAIR)))
					.isEqualTo(LockOptions.DEFAULTS.withMode(LockMode.SEMAPHORE).withPermits(2));
			});
	}

	@Test
	void startWhenTheModeDoesNotFitTheProfileNamesBothProperties() {
		this.memory
			.withPropertyValues("distributed-lock.locks.stock.mode=fair", "distributed-lock.locks.stock.permits=2")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith(
						"distributed-lock.locks.stock.permits=2 cannot work: permits 2 are for mode SEMAPHORE, "
								+ "but the mode is FAIR"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "read", "semaphore" })
	void startWhenALockWithSeveralHoldersIsKeptFails(String mode) {
		this.memory
			.withPropertyValues("distributed-lock.locks.stock.mode=" + mode, "distributed-lock.locks.stock.keep-for=1m")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith(
						"distributed-lock.locks.stock.keep-for=1m cannot work: keepFor 1m is for modes with one holder"));
	}

	@ParameterizedTest
	@CsvSource({ "permits=2, take 3 is more than the permits", "mode=fair, take 3 is for mode SEMAPHORE" })
	void startWhenMoreIsTakenThanThereIsFails(String other, String problem) {
		this.memory.withPropertyValues("distributed-lock.locks.stock.take=3", "distributed-lock.locks.stock." + other)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith("distributed-lock.locks.stock.take=3 cannot work: " + problem));
	}

	/** It was compared with permits and a mode that only the code has. */
	@ParameterizedTest
	@ValueSource(strings = { "take=2", "mode=semaphore" })
	void takeOfAProfileFitsThePermitsOfTheCode(String other) {
		this.memory.withPropertyValues("distributed-lock.locks.stock.take=2", "distributed-lock.locks.stock." + other)
			.run((context) -> {
				LockProfiles profiles = context.getBean(LockProfiles.class);
				LockOptions six = LockOptions.NONE.withMode(LockMode.SEMAPHORE).withPermits(6).withTake(3);
				assertThat(profiles.resolve("stock", six).take()).isEqualTo(2);
				assertThatExceptionOfType(InvalidSettingException.class)
					.isThrownBy(() -> profiles.resolve("stock", six.withPermits(1)))
					.withMessage("take 2 is more than the permits, which are 1: no request would ever get them. "
							+ "Take fewer, or raise the permits");
			});
	}

	@Test
	void startWhenASemaphoreHasADelayFails() {
		this.memory
			.withPropertyValues("distributed-lock.locks.stock.mode=semaphore",
					"distributed-lock.locks.stock.lock-delay=1m")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith(
						"distributed-lock.locks.stock.lock-delay=1m cannot work: lockDelay 1m is for modes"));
	}

	@Test
	void profileWhenPartlySetDefersToTheGlobalProperties() {
		LockOptions options = resolve("stock", "distributed-lock.wait=9s", "distributed-lock.locks.stock.ttl=7s");
		assertThat(options.ttl()).isEqualTo(Duration.ofSeconds(7));
		assertThat(options.waitFor()).isEqualTo(Duration.ofSeconds(9));
	}

	@ParameterizedTest
	@CsvSource({ "stock,stock", "Stock-Items,Stock-Items", "[stock_items],stock_items", "[a.b/c d],a.b/c d" })
	void profileNameWhenSpecialIsKeptInBrackets(String written, String name) {
		assertThat(resolve(name, "distributed-lock.locks." + written + ".ttl=7s").ttl())
			.isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void gracePeriodWhenSetReachesTheEngine() {
		assertThat(engineSettings(Map.of("distributed-lock.shutdown.grace-period", "3s")).shutdownGrace())
			.isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void handOffWhenSetReachesTheEngine() {
		assertThat(engineSettings(Map.of("distributed-lock.hand-off", "false")).handOff()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void leakDetectionWhenSetReachesTheEngine(LeakDetection detection) {
		assertThat(engineSettings(Map.of("distributed-lock.leak-detection", detection.name().toLowerCase(Locale.ROOT))))
			.isEqualTo(EngineSettings.DEFAULTS.withLeakDetection(detection));
	}

	@Test
	void redisPropertiesWhenSetReachTheStore() {
		assertThat(redisSettings(
				Map.of("distributed-lock.key-prefix", "app:lock:", "distributed-lock.redis.command-timeout", "250ms",
						"distributed-lock.redis.token-retention", "5m", "distributed-lock.redis.wake-up", "poll")))
			.isEqualTo(new RedisStoreSettings("app:lock:", Duration.ofMinutes(5), Duration.ofMillis(250), false));
	}

	@ParameterizedTest
	@CsvSource({ "own,false", "shared,true" })
	void connectionWhenSetReachesTheStore(String connection, boolean shared) {
		assertThat(redisSettings(Map.of("distributed-lock.redis.connection", connection)).sharedConnection())
			.isEqualTo(shared);
	}

	@Test
	void replicaAcksWhenSetReachTheStore() {
		assertThat(redisSettings(Map.of("distributed-lock.redis.replica-acks", "2",
				"distributed-lock.redis.replica-acks-timeout", "150ms"))
			.replicaAcks()).isEqualTo(new ReplicaAcks(2, Duration.ofMillis(150)));
	}

	@Test
	void replicaAcksTimeoutWhenNoReplicaIsWantedMayBeLong() {
		assertThat(redisSettings(Map.of("distributed-lock.redis.command-timeout", "100ms")).replicaAcks().count())
			.isZero();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					distributed-lock.redis.replica-acks         | -1    | cannot work:
					distributed-lock.redis.replica-acks         | 1001  | cannot work:
					distributed-lock.redis.replica-acks-timeout | 0ms   | cannot work:
					distributed-lock.redis.replica-acks-timeout | 1s    | cannot work: it must be shorter than the timeout of commands, 1s
					""")
	void replicaAcksWhenTheyCannotWorkAreRefused(String property, String value, String problem) {
		Map<String, String> values = new HashMap<>(Map.of("distributed-lock.redis.replica-acks", "1"));
		values.put(property, value);
		assertThatExceptionOfType(InvalidLockPropertyException.class).isThrownBy(() -> redisSettings(values))
			.withMessageStartingWith(property + "=" + (value.equals("0ms") ? "0" : value) + " " + problem);
	}

	@Test
	void orderWhenNothingIsSetIsTheAdvisors() {
		assertThat(bind(Map.of()).order()).isEqualTo(DistributedLockAdvisor.DEFAULT_ORDER);
	}

	@Test
	void orderWhenSetReachesTheAdvisor() {
		this.memory.withPropertyValues("distributed-lock.order=17")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(17));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					distributed-lock.ttl                     | -1s    | cannot work:
					distributed-lock.ttl                     | 400d   | cannot work:
					distributed-lock.ttl                     | 50     | cannot work: ttl
					distributed-lock.wait                    | -1s    | cannot work: it must not be negative
					distributed-lock.max-hold                | 0      | cannot work:
					distributed-lock.shutdown.grace-period   | -1s    | cannot work:
					distributed-lock.shutdown.grace-period   | 366d   | cannot work: it must be between 0 and 365d but is 366d. Correct it; a duration
					distributed-lock.redis.replica-acks      | 1      | cannot work with distributed-lock.store=memory
					distributed-lock.redis.driver            | jedis  | cannot work with distributed-lock.store=memory
					distributed-lock.locks.stock.ttl         | 1ms    | cannot work:
					distributed-lock.locks.stock.ttl         | 100ms  | cannot work: ttl
					distributed-lock.locks.stock.wait        | -1s    | cannot work:
					distributed-lock.locks.stock.max-hold    | -1s    | cannot work:
					distributed-lock.locks.stock.keep-for    | -1s    | cannot work:
					distributed-lock.locks.[a.b].keep-for    | -1s    | cannot work:
					distributed-lock.locks.stock.lock-delay  | -1s    | cannot work:
					distributed-lock.locks.stock.lock-delay  | 2d     | cannot work:
					distributed-lock.locks.stock.take        | 0      | cannot work:
					distributed-lock.locks.stock.take        | 1001   | cannot work:
					distributed-lock.locks.stock.permits     | 0      | cannot work:
					distributed-lock.locks.stock.permits     | -1     | cannot work:
					distributed-lock.locks.stock.permits     | 10001  | cannot work:
					""")
	void startWhenAValueCannotWorkNamesThePropertyAndTheValue(String property, String value, String problem) {
		this.memory.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith(property + "=" + (value.equals("50") ? "50ms" : value) + " " + problem));
	}

	@Test
	void startWhenAShortTtlIsNotRenewedSucceeds() {
		LockOptions options = resolve("stock", "distributed-lock.locks.stock.ttl=100ms",
				"distributed-lock.locks.stock.renew=false");
		assertThat(options.ttl()).isEqualTo(Duration.ofMillis(100));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "{app}:", "lock:*", "lo?k:", "[lock]", "lock\\", "lock\n", "^", "lock",
			"lock::", "a::b:" })
	void prefixWhenUnsafeIsRefused(String prefix) {
		assertThatExceptionOfType(InvalidLockPropertyException.class)
			.isThrownBy(() -> redisSettings(Map.of("distributed-lock.key-prefix", prefix)))
			.withMessageStartingWith("distributed-lock.key-prefix=" + prefix);
	}

	@ParameterizedTest
	@CsvSource({ "distributed-lock.redis.command-timeout,0", "distributed-lock.redis.command-timeout,366d",
			"distributed-lock.redis.token-retention,10ms", "distributed-lock.redis.token-retention,-1s",
			"distributed-lock.redis.token-retention,366d" })
	void redisDurationWhenOutOfRangeIsRefused(String property, String value) {
		assertThatExceptionOfType(InvalidLockPropertyException.class)
			.isThrownBy(() -> redisSettings(Map.of(property, value)))
			.withMessageStartingWith(property + "=" + value);
	}

	private LockOptions resolve(String name, String... values) {
		AtomicReference<LockOptions> options = new AtomicReference<>();
		this.memory.withPropertyValues(values)
			.run((context) -> options.set(context.getBean(LockProfiles.class).resolve(name, LockOptions.NONE)));
		return options.get();
	}

	private static EngineSettings engineSettings(Map<String, String> values) {
		return DistributedLockAutoConfiguration.settings(bind(values));
	}

	private static RedisStoreSettings redisSettings(Map<String, String> values) {
		return RedisLockStoreConfiguration.StoreConfiguration.settings(bind(values));
	}

	private static DistributedLockProperties bind(Map<String, String> values) {
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("distributed-lock",
				DistributedLockProperties.class);
	}

}
