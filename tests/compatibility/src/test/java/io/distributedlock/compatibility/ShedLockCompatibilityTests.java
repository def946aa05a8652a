package io.distributedlock.compatibility;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.shedlock.RegistryLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** ShedLock's annotation on the locks of this library, on another Spring Boot. */
class ShedLockCompatibilityTests {

	@Test
	void jobOfShedLockWhileAnotherInstanceRunsItIsSkipped() {
		try (RedisServer server = RedisServers.start();
				ConfigurableApplicationContext here = run(server);
				ConfigurableApplicationContext elsewhere = run(server)) {
			assertThat(here.getBean(LockProvider.class)).isInstanceOf(RegistryLockProvider.class);
			Jobs other = elsewhere.getBean(Jobs.class);
			Optional<?> ran = here.getBean(Jobs.class).report(() -> assertThat(onAnotherThread(other)).isEmpty());
			assertThat(ran).isPresent();
			assertThat(onAnotherThread(other)).isPresent();
		}
	}

	private static Optional<?> onAnotherThread(Jobs jobs) {
		return CompletableFuture.supplyAsync(() -> jobs.report(() -> {
		})).join();
	}

	private static ConfigurableApplicationContext run(RedisServer redis) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setDefaultProperties(
				Map.of("spring.data.redis.host", redis.host(), "spring.data.redis.port", redis.port()));
		return application.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	static class Application {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		@SchedulerLock(name = "report")
		public Optional<String> report(Runnable body) {
			body.run();
			return Optional.of("done");
		}

	}

}
