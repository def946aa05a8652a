package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What an application prints when the locks keep it from starting.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTests {

	@Test
	void reportWhenThereIsNoStoreListsTheWaysOut(CapturedOutput output) {
		fail();
		assertThat(output).contains("APPLICATION FAILED TO START",
				"no store for distributed locks: distributed-lock.store is redis and there is no RedisConnectionFactory",
				"spring-boot-starter-data-redis", "spring.data.redis.*", "@Primary", "distributed-lock.store=memory",
				"LockStore or a LockRegistry bean", "distributed-lock.enabled=false");
	}

	@Test
	void reportWhenATtlIsTooShortNamesPropertyValueAndRemedy(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.ttl=100");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.ttl",
				"Value: \"100ms\"", "Reason: it is too short to be renewed",
				"Use at least 200ms, or switch renewal off with distributed-lock.locks.stock.renew=false");
	}

	@Test
	void reportWhenADurationCannotBeReadNamesPropertyAndValue(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.ttl=ten seconds");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.ttl",
				"Value: \"ten seconds\"", "is not a duration", "such as 10s or PT10S");
	}

	@Test
	void reportWhenADurationOfAProfileCannotBeReadNamesPropertyAndValue(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.wait=soon");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.wait",
				"Value: \"soon\"", "is not a duration", "such as 10s or PT10S");
	}

	@Test
	void reportWhenTheStoreIsUnknownNamesTheChoices(CapturedOutput output) {
		fail("--distributed-lock.store=etcd");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.store",
				"Value: \"etcd\"", "MEMORY", "REDIS");
	}

	/** A misspelt property used to be ignored, and the default taken. */
	@Test
	void reportWhenAPropertyIsMisspeltNamesIt(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.tll=7s");
		assertThat(output).contains("APPLICATION FAILED TO START", "distributed-lock.locks.stock.tll");
	}

	private static void fail(String... arguments) {
		SpringApplication application = new SpringApplication(Locks.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run(arguments));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Locks {

	}

}
