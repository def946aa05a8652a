package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link UnusedVariables}: those that have an effect, and the warning for the others. */
@ExtendWith(OutputCaptureExtension.class)
class UnusedVariablesTests {

	private static ApplicationContextRunner runner(Map<String, Object> variables) {
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace(name, new SystemEnvironmentPropertySource(name, variables)))
			.withPropertyValues("distributed-lock.store=memory");
	}

	@Test
	void variableWhenItIsASettingHasEffectWithoutAWarning(CapturedOutput output) {
		Map<String, Object> variables = Map.of("DISTRIBUTED_LOCK_TTL", "11s", "DISTRIBUTEDLOCK_WAIT", "2s",
				"DISTRIBUTED_LOCK_REDIS_COMMAND_TIMEOUT", "900ms", "DISTRIBUTEDLOCK_LOCKS_ORDERS_TTL", "12s",
				"DISTRIBUTEDLOCK_STORE", "memory", "DISTRIBUTED_LOCK_HAND_OFF", "${off:false}");
		runner(variables).run((context) -> {
			LockProfiles profiles = context.getBean(LockProfiles.class);
			assertThat(profiles.resolve("", LockOptions.NONE).ttl()).isEqualTo(Duration.ofSeconds(11));
			assertThat(profiles.resolve("orders", LockOptions.NONE).ttl()).isEqualTo(Duration.ofSeconds(12));
			assertThat(output).doesNotContain("environment variables");
		});
	}

	/** Nothing said that the lock had another ttl than its variable. */
	@Test
	void variablesWhenTheyHaveNoEffectAreOneWarningWithoutTheirValues(CapturedOutput output) {
		Map<String, Object> variables = Map.of("DISTRIBUTED_LOCK_LOCKS_ORDERS_TTL", "s3cret-1",
				"DISTRIBUTEDLOCK_LOCKS_STOCK_ITEMS_TTL", "s3cret-2", "DISTRIBUTED_LOCK_TLL", "s3cret-3",
				"DISTRIBUTEDLOCK_TTL", "11s", "DISTRIBUTED_LOCKER", "x");
		runner(variables).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.toString().lines().filter((line) -> line.contains("environment variables")))
				.singleElement()
				.asString()
				.contains("[DISTRIBUTEDLOCK_LOCKS_STOCK_ITEMS_TTL, DISTRIBUTED_LOCK_LOCKS_ORDERS_TTL, "
						+ "DISTRIBUTED_LOCK_TLL] have no effect by themselves");
			assertThat(output).doesNotContain("s3cret");
		});
	}

	@Test
	void variableWhenAPropertyOverridesItIsNotMisspelt(CapturedOutput output) {
		runner(Map.of("DISTRIBUTED_LOCK_TTL", "11s")).withPropertyValues("distributed-lock.ttl=12s")
			.run((context) -> assertThat(output).doesNotContain("environment variables"));
	}

	/** Its dashes may be underscores as soon as another source has the name. */
	@Test
	void variableWhenAnotherSourceHasItsLockHasEffectWithoutAWarning(CapturedOutput output) {
		runner(Map.of("DISTRIBUTED_LOCK_LOCKS_ORDERS_TTL", "13s"))
			.withPropertyValues("distributed-lock.locks.orders.wait=2s")
			.run((context) -> {
				LockProfiles profiles = context.getBean(LockProfiles.class);
				assertThat(profiles.resolve("orders", LockOptions.NONE).ttl()).isEqualTo(Duration.ofSeconds(13));
				assertThat(output).doesNotContain("environment variables");
			});
	}

	@Test
	void variablesOfAServiceOfThatNameAreLeftOut(CapturedOutput output) {
		runner(Map.of("DISTRIBUTED_LOCK_SERVICE_HOST", "10.0.0.1", "DISTRIBUTED_LOCK_SERVICE_PORT", "6379",
				"DISTRIBUTED_LOCK_SERVICE_PORT_REDIS", "6379", "DISTRIBUTED_LOCK_PORT", "tcp://10.0.0.1:6379",
				"DISTRIBUTED_LOCK_PORT_6379_TCP", "tcp://10.0.0.1:6379", "DISTRIBUTED_LOCK_PORT_6379_TCP_PROTO", "tcp",
				"DISTRIBUTED_LOCK_PORT_6379_TCP_PORT", "6379", "DISTRIBUTED_LOCK_PORT_6379_TCP_ADDR", "10.0.0.1",
				"DISTRIBUTED_LOCK_REDIS_SERVICE_HOST", "10.0.0.2"))
			.run((context) -> assertThat(output).doesNotContain("environment variables"));
	}

}
