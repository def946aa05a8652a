package io.distributedlock.hostile;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.distributedlock.Lease;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** Configurations that no operator should write, and that some will. */
@ExtendWith(EngineThreads.class)
class HostilePropertyIntegrationTests {

	private static HostileRedis redis;

	@BeforeAll
	static void start() {
		redis = new HostileRedis();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	private static ApplicationContextRunner onRedis() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=" + redis.server.host(),
					"spring.data.redis.port=" + redis.server.port(), "distributed-lock.shutdown.grace-period=0");
	}

	/** Set a property to a value as it is: text properties lose the blanks around it. */
	private static ApplicationContextRunner with(ApplicationContextRunner runner, String property, Object value) {
		return runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("hostile", Map.of("distributed-lock." + property, value))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t", "a b", " lock:", "lock: ", "lock:\n", "lock:\0", "\u0085", "{a}:", "{", "}",
			"a*", "a?", "[a]", "^", "a\\", "\u00A0lock:", "lock:\u3000", "lock:\u2028", "lock\u200B:", "\uFEFFlock:",
			"\u202Elock:", "lock\uD83D:", "lock\uDD12:", "${missing}:", "lock", "::", "lock::", "a::b:", "a:b" })
	void prefixWhenItCannotBeSeenOrNamedInAnAclIsRefused(String prefix) {
		with(onRedis(), "key-prefix", prefix).run((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining(prefix.startsWith("$") ? "missing" : "distributed-lock.key-prefix="));
	}

	@Test
	void prefixWhenLongerThanAnyKeyIsRefused() {
		with(onRedis(), "key-prefix", "x".repeat(1 << 20)).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.satisfies((failure) -> assertThat(failure.getMessage()).startsWith("distributed-lock.key-prefix=xxx")
				.contains("must have 1 to 200 characters")
				.hasSizeLessThan(1000)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a:", "lock:", "lock:a:", ":", "%:", "~:", "!wake:", "l\u00f6cke:", "\uD83D\uDD12:",
			"a/b:", "a'b\"c:", "#a:", "0:", "null:", "redis.call:", "-:", "e\u0301:" })
	void prefixWhenUnusualIsTheBeginningOfEveryKey(String prefix) {
		redis.clear();
		with(onRedis(), "key-prefix", prefix).run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("n", "k").waitFor(Duration.ofSeconds(10));
			try (Lease lease = registry.acquire(request)) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(redis.keys()).filteredOn((key) -> !key.startsWith(prefix + "%instance:"))
					.containsExactly(prefix + "n:k");
				assertThat(registry.tryAcquire(request.waitFor(Duration.ofMillis(1)))).isEmpty();
			}
			assertThat(redis.held()).isZero();
		});
	}

	@ParameterizedTest
	@CsvSource({ "store, memory2, 'redis, memory'", "store, '', 'redis, memory'", "store, null, 'redis, memory'",
			"advice, both, 'proxy, aspectj'", "when-unavailable, ignore, 'throw, skip, proceed'",
			"redis.wake-up, push, 'subscribe, poll'", "locks.stock.when-busy, wait, 'throw, skip, fallback'",
			"locks.stock.when-lost, \u0131nterrupt, 'throw, interrupt, ignore'",
			"locks.stock.when-unavailable, '\uD83D', 'throw, skip, proceed'" })
	void choiceWhenItDoesNotExistIsRefused(String property, String value) {
		with(onRedis(), property, value)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("distributed-lock." + property));
	}

	@ParameterizedTest
	@CsvSource({ "enabled, maybe", "enabled, 2", "renew, ja", "locks.stock.renew, perhaps", "order, first",
			"order, 99999999999", "order, 1.5", "order, NaN" })
	void switchWhenItIsNeitherOnNorOffIsRefused(String property, String value) {
		with(HostileApplication.RUNNER, property, value)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("distributed-lock." + property));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tll", "TTLS", "ttl.seconds", "ttl[0]", "wait-for", "keep-for", "lock.stock.ttl", "locks",
			"locks.ttl", "locks[stock]", "locks.stock", "locks.stock.tt", "locks.stock.ttl.ttl", "locks.[a.b].tt",
			"renewal", "renewed", "redis.prefix", "shutdown.grace", "key-prefix.a", "store.name" })
	void propertyWhenItDoesNotExistIsRefused(String property) {
		with(HostileApplication.RUNNER, property, "7s")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("distributed-lock"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			[a.b]       | a.b
			[a b]       | a b
			[a:b]       | a:b
			[A]         | A
			[A.B]       | A.B
			[{a}]       | {a}
			[a_b]       | a_b
			[größe]     | größe
			[\uD83D\uDD12] | \uD83D\uDD12
			[*]         | *
			[${a}]      | ${a}
			["quoted"]  | "\""quoted"\""
			[0]         | 0
			[ttl]       | ttl
			[%3A]       | %3A
			stock       | stock
			""")
	void profileWhenItsNameIsOddIsThatOfTheLock(String written, String name) {
		with(HostileApplication.RUNNER, "locks." + written + ".ttl", "7s").run((context) -> {
			assertThat(context).hasNotFailed();
			LockProfiles profiles = context.getBean(LockProfiles.class);
			assertThat(profiles.resolve(name, LockOptions.NONE).ttl()).isEqualTo(Duration.ofSeconds(7));
			assertThat(profiles.names()).containsExactly(name);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "[]", "" })
	void profileWhenItHasNoNameIsRefused(String written) {
		with(HostileApplication.RUNNER, "locks." + written + ".ttl", "7s")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("distributed-lock.locks"));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "missing", "&distributedLockRegistry", "distributedLockRegistry2", "DistributedLockRegistry",
					"hostile", "distributedLockStore", "\uD83D\uDD12", "*", "a.b", "${hostile.none:missing}", "#{1}" })
	void registryWhenThereIsNoneOfThatNameIsRefused(String name) {
		with(HostileApplication.RUNNER, "enabled", "true").withBean("hostile", Guarded.class)
			.withPropertyValues("hostile.registry=" + name)
			.run((context) -> HostileApplication.assertRefused(context.getStartupFailure(), Guarded.class,
					"there is no LockRegistry bean named '", "Use one of [distributedLockRegistry]"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "${missing}", "${", "${hostile.registry}" })
	void registryWhenItCannotBeResolvedIsRefused(String name) {
		HostileApplication.RUNNER.withBean(Guarded.class)
			.withPropertyValues("hostile.registry=" + name)
			.run((context) -> HostileApplication.assertRefused(context.getStartupFailure(), Guarded.class, "egistry",
					""));
	}

	@Test
	void lockNameWhenItHasBlanksAroundItIsRefused() {
		for (String name : List.of(" ", " a", "a ", "\u3000a", "\n")) {
			HostileApplication.RUNNER.withBean(Named.class)
				.withInitializer((context) -> context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("name", Map.of("hostile.name", name))))
				.run((context) -> HostileApplication.assertRefused(context.getStartupFailure(), Named.class,
						"is blank or has blanks around it", "leave it out"));
		}
	}

	static class Guarded {

		@DistributedLock(key = "'a'", registry = "${hostile.registry}")
		public void guarded() {
			throw new AssertionError("never started");
		}

	}

	static class Named {

		@DistributedLock(key = "'a'", name = "${hostile.name}")
		public void guarded() {
			throw new AssertionError("never started");
		}

	}

}
