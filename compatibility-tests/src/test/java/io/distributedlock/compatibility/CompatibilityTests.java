package io.distributedlock.compatibility;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The least that has to work on every supported Spring Boot.
 */
@ExtendWith(OutputCaptureExtension.class)
class CompatibilityTests {

	private static RedisServer server;

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		context = run("--distributed-lock.locks.profiled.wait=0");
	}

	@AfterAll
	static void stop() {
		context.close();
		server.close();
	}

	@Test
	void versionWhenAskedIsTheOneToBeTested() {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("compatibility.spring-boot.version"));
	}

	/** Ordered before the Redis auto-configuration there would be none. */
	@Test
	void storeWhenRedisIsAutoConfiguredIsInRedis() {
		assertThat(context.getBean(LockStore.class)).isInstanceOf(RedisLockStore.class);
	}

	@Test
	void guardedMethodWhenHeldByAnotherThreadIsRefused() {
		Stock stock = context.getBean(Stock.class);
		LongSupplier otherThread = () -> CompletableFuture.supplyAsync(() -> stock.sell(() -> 0)).join();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> stock.sell(otherThread))
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void guardedMethodWhenFreeRunsWithALease() {
		assertThat(context.getBean(Stock.class).sell(() -> Lease.current().orElseThrow().fencingToken())).isPositive();
	}

	@Test
	void templateWhenCalledHoldsTheLock() {
		assertThat(context.getBean(LockTemplate.class).<String>execute("42", () -> "done")).isEqualTo("done");
	}

	@Test
	void startWhenAPropertyIsWrongSaysWhich(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run("--distributed-lock.ttl=soon"));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.ttl",
				"it is not a duration");
	}

	private static ConfigurableApplicationContext run(String... more) {
		SpringApplication application = new SpringApplication(Shop.class);
		application.setDefaultProperties(
				Map.of("spring.data.redis.host", server.host(), "spring.data.redis.port", server.port()));
		return application.run(more);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	static class Stock {

		@DistributedLock(key = "'item'", name = "profiled")
		public long sell(LongSupplier body) {
			return body.getAsLong();
		}

	}

}
