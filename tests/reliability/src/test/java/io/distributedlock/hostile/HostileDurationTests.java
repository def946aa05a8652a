package io.distributedlock.hostile;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenLost;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.interceptor.MethodLockSpec;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Times as text in annotations and properties, and as values in requests. */
@ExtendWith(EngineThreads.class)
class HostileDurationTests {

	/** Texts without a meaning. */
	private static final List<String> UNREADABLE = List.of("10 s s", "s", "ten", "-", "+", "P", "PT", "P-", "PTS",
			"1.5s", "1,5s", "1e3s", "1_000", "0x10", "NaN", "Infinity", "null", "true", "\uFF11\uFF10s", "\u0661s",
			"10\u00A0s", "10\u200Bs", "10ſ", "10µs ago", "10x", "10sec", "10 seconds", "10w", "10y", "P1Y", "P1M",
			"P1W", "10s;", "10s20", "--10s", "-+10s", "99999999999999999999", "99999999999999999999s",
			"999999999999999d", "9223372036854775807d", "-9223372036854775808d", "PT9223372036854775808S",
			"P106751991167301D", "\uD83D", "\uD83D\uDD12", "1".repeat(10_000) + "s");

	private static final List<String> TIMES = List.of("ttl", "waitFor", "maxHold", "keepFor");

	private static final List<String> PROPERTIES = List.of("ttl", "wait", "max-hold", "shutdown.grace-period",
			"redis.command-timeout", "redis.token-retention", "locks.stock.ttl", "locks.stock.wait",
			"locks.stock.max-hold", "locks.stock.keep-for");

	private static final Duration MOST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private static final Duration LEAST = Duration.ofSeconds(Long.MIN_VALUE);

	@ParameterizedTest
	@FieldSource("UNREADABLE")
	void annotationWhenATimeIsUnreadableIsRefusedAtTheStart(String text) {
		String time = TIMES.get(UNREADABLE.indexOf(text) % TIMES.size());
		annotated(time, text, (context) -> HostileApplication.assertRefused(context.getStartupFailure(), Timed.class,
				time + " \"${hostile." + time, "a number without a unit is milliseconds"));
	}

	@ParameterizedTest
	@FieldSource("TIMES")
	void everyTimeOfAnAnnotationWhenUnreadableIsNamedWithItsValue(String time) {
		for (String text : List.of("soon", "-", "1e3s")) {
			annotated(time, text,
					(context) -> HostileApplication.assertRefused(context.getStartupFailure(), Timed.class,
							"}\", which is \"" + text + "\" is not a duration",
							"a number without a unit is milliseconds"));
		}
	}

	@ParameterizedTest
	@FieldSource("UNREADABLE")
	void propertyWhenUnreadableIsRefusedAtTheStart(String text) {
		HostileApplication.RUNNER.withPropertyValues("distributed-lock.ttl=" + text)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("distributed-lock.ttl"));
	}

	@ParameterizedTest
	@FieldSource("PROPERTIES")
	void everyPropertyWhenUnreadableIsNamed(String property) {
		HostileApplication.RUNNER.withPropertyValues("distributed-lock." + property + "=1e3s")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("distributed-lock." + property)
				.hasStackTraceContaining("1e3s"));
	}

	@ParameterizedTest
	@CsvSource({ "ttl, 0", "ttl, -1s", "ttl, 9ms", "ttl, 366d", "ttl, PT0.0099S", "ttl, 9223372036854775807",
			"ttl, -9223372036854775808", "ttl, PT9223372036854775807S", "maxHold, 0", "maxHold, -1s",
			"maxHold, PT0.0009S", "maxHold, 366d", "keepFor, -1s", "keepFor, -PT0.000000001S",
			"keepFor, PT-9223372036854775807.5S", "keepFor, 366d", "waitFor, -1s", "waitFor, -1ns",
			"waitFor, PT-9223372036854775807.5S" })
	void annotationWhenATimeIsOutOfRangeIsRefusedAtTheStart(String time, String text) {
		annotated(time, text, (context) -> HostileApplication.assertRefused(context.getStartupFailure(), Timed.class,
				time + " must", "a number without a unit is milliseconds"));
	}

	@ParameterizedTest
	@CsvSource({ "ttl, 0", "ttl, -1s", "ttl, 9ms", "ttl, 366d", "ttl, PT9223372036854775807.5S",
			"ttl, PT-9223372036854775807.5S", "wait, -1ns", "wait, PT-0.000000001S", "wait, PT-9223372036854775807.5S",
			"max-hold, PT0.0009S", "max-hold, PT9223372036854775807.5S", "shutdown.grace-period, -1ns",
			"shutdown.grace-period, PT9223372036854775807.5S", "locks.stock.keep-for, -1ns",
			"locks.stock.keep-for, PT9223372036854775807.5S", "locks.stock.ttl, PT9223372036854775807.5S",
			"locks.stock.wait, PT-9223372036854775807.5S", "locks.stock.max-hold, PT-9223372036854775807.5S" })
	void propertyWhenOutOfRangeIsRefusedAtTheStart(String property, String text) {
		HostileApplication.RUNNER.withPropertyValues("distributed-lock." + property + "=" + text)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("distributed-lock." + property + "=")
				.hasMessageMatching("(?s).* cannot work: \\w+ must (not be negative|be between) .*"));
	}

	@ParameterizedTest
	@CsvSource({ "'', 5s", "0, 0", "0s, 0", "PT0S, 0", "-0, 0", "+5s, 5s", "5S, 5s", "pt5s, 5s", "5000, 5s",
			"5000ms, 5s", "5000000us, 5s", "5000000000ns, 5s", "' 5s ', 5s", "1ns, PT0.000000001S",
			"PT0.000000001S, PT0.000000001S", "P1D, 1d", "P1DT1H, 25h", "1d, 1d", "1h30m, 90m", "1m 30s, 90s",
			"-PT-5S, 5s", "0005s, 5s", "9223372036854775807, PT2562047788015H12M55.807S",
			"9223372036854775807ns, PT2562047H47M16.854775807S", "106751991167300d, P106751991167300D",
			"PT9223372036854775807S, PT9223372036854775807S", "${missing:5s}, 5s", "${missing:}, 5s" })
	void waitWhenReadableMeansExactlyThat(String text, String expected) {
		Duration wait = DurationStyle.detectAndParse(expected.equals("0") ? "0s" : expected);
		annotated("waitFor", text, (context) -> {
			assertThat(context).hasNotFailed();
			assertThat(specOf(context).options().waitFor()).isEqualTo(wait);
			assertThat(context.getBean(Timed.class).guarded()).isEqualTo(1);
		});
	}

	@ParameterizedTest
	@CsvSource({ "ttl, 200ms", "ttl, PT0.2000001S", "ttl, 365d", "maxHold, 1ms", "maxHold, 365d", "keepFor, 0",
			"keepFor, 1ns", "keepFor, 365d", "waitFor, 0", "waitFor, 1ns", "waitFor, PT9223372036854775807S" })
	void annotationWhenATimeIsAtTheBorderRunsTheMethod(String time, String text) {
		annotated(time, text, (context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Timed.class).guarded()).isEqualTo(1);
		});
	}

	@Test
	void annotationWhenAPlaceholderIsMissingIsRefusedAtTheStart() {
		for (String text : List.of("${missing}", "${missing}s", "${a:${missing}}", "${ttl")) {
			HostileApplication.RUNNER.withBean(Literal.class).withPropertyValues("hostile=" + text).run((context) -> {
				Throwable failure = context.getStartupFailure();
				HostileApplication.assertRefused(failure, Literal.class, "ttl \"${hostile}\"", "");
			});
		}
	}

	private static void annotated(String time, String text, ContextConsumer<AssertableApplicationContext> test) {
		HostileApplication.RUNNER.withBean(Timed.class)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("hostile", Map.of("hostile." + time, text))))
			.run(test);
	}

	private static MethodLockSpec specOf(AssertableApplicationContext context) {
		return context.getBean(MethodLockSpecSource.class).specs().iterator().next();
	}

	static Stream<Duration> impossible() {
		return Stream.of(Duration.ofNanos(-1), Duration.ofSeconds(-1), LEAST, LEAST.plusNanos(1));
	}

	@ParameterizedTest
	@MethodSource("impossible")
	void requestWhenATimeIsNegativeIsRefused(Duration time) {
		LockRequest request = LockRequest.of("a");
		assertThatIllegalArgumentException().isThrownBy(() -> request.ttl(time))
			.withMessageStartingWith("ttl must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> request.waitFor(time))
			.withMessageStartingWith("waitFor must not be negative");
		assertThatIllegalArgumentException().isThrownBy(() -> request.maxHold(time))
			.withMessageStartingWith("maxHold must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> request.keepFor(time))
			.withMessageStartingWith("keepFor must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(time))
			.withMessageStartingWith("pollInterval must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withShutdownGrace(time))
			.withMessageStartingWith("shutdownGrace must be between");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings("a:", time, Duration.ofSeconds(1), true))
			.withMessageStartingWith("tokenRetention must be between");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStoreSettings("a:", Duration.ofSeconds(1), time, true))
			.withMessageStartingWith("commandTimeout must be between");
	}

	@ParameterizedTest
	@MethodSource
	void requestWhenATimeIsTooLongIsRefused(Duration time) {
		LockRequest request = LockRequest.of("a");
		assertThatIllegalArgumentException().isThrownBy(() -> request.ttl(time))
			.withMessageStartingWith("ttl must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> request.maxHold(time))
			.withMessageStartingWith("maxHold must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> request.keepFor(time))
			.withMessageStartingWith("keepFor must be between");
		assertThatIllegalArgumentException().isThrownBy(() -> EngineSettings.DEFAULTS.withPollInterval(time))
			.withMessageStartingWith("pollInterval must be between");
	}

	static Stream<Duration> requestWhenATimeIsTooLongIsRefused() {
		return Stream.of(LockOptions.MAX_TTL.plusNanos(1), Duration.ofNanos(Long.MAX_VALUE),
				Duration.ofMillis(Long.MAX_VALUE), MOST);
	}

	@ParameterizedTest
	@MethodSource
	void requestWhenItsTimesAreExtremeWorks(LockRequest request) {
		// The shortest lease may run out on a busy machine.
		await().ignoreException(LockLostException.class).untilAsserted(() -> assertWorks(request));
	}

	private static void assertWorks(LockRequest request) {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(), LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null)) {
			try (Lease lease = registry.acquire(request)) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(lease.remaining()).isPositive();
				assertThat(registry.tryAcquire(request.waitFor(Duration.ZERO))).isEmpty();
				assertThat(registry.tryAcquire(request.waitFor(Duration.ofNanos(1)))).isEmpty();
			}
		}
	}

	static Stream<LockRequest> requestWhenItsTimesAreExtremeWorks() {
		LockRequest request = LockRequest.of("a");
		return Stream.of(request.waitFor(MOST), request.waitFor(Duration.ofNanos(Long.MAX_VALUE)),
				request.waitFor(Duration.ofMillis(Long.MAX_VALUE)), request.waitFor(Duration.ofNanos(1)),
				request.ttl(LockOptions.MAX_TTL), request.ttl(LockOptions.MIN_RENEWABLE_TTL.plusNanos(1)),
				request.maxHold(Duration.ofMillis(1)), request.maxHold(LockOptions.MAX_TTL),
				request.keepFor(LockOptions.MAX_TTL), request.keepFor(Duration.ofNanos(1)));
	}

	static class Timed {

		@DistributedLock(key = "'a'", ttl = "${hostile.ttl:30s}", waitFor = "${hostile.waitFor:}",
				maxHold = "${hostile.maxHold:}", keepFor = "${hostile.keepFor:}", renew = Renewal.DEFAULT,
				whenLost = WhenLost.IGNORE)
		public int guarded() {
			return 1;
		}

	}

	static class Literal {

		@DistributedLock(key = "'a'", ttl = "${hostile}")
		public void guarded() {
			throw new AssertionError("never started");
		}

	}

}
