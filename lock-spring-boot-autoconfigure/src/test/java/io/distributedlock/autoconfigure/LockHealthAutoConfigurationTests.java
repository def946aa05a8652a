package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.actuate.LockHealthIndicator;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.StoreNode;
import io.distributedlock.test.store.DelegatingLockStore;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** When the health of the locks is looked at. */
class LockHealthAutoConfigurationTests {

	private static final String BEAN = "locksHealthIndicator";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockHealthAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@Test
	void healthIsThereUnlessItIsDisabled() {
		this.runner.run((context) -> assertThat(context).getBean(BEAN).isInstanceOf(LockHealthIndicator.class));
		this.runner.withPropertyValues("management.health.locks.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	/** As on Spring Boot 3.5. */
	@Test
	void healthWithoutTheClassesOfSpringBoot4IsNotThere() {
		this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	@Test
	void healthOfTheApplicationTakesItsPlace() {
		this.runner.withBean("locksHealthContributor", HealthIndicator.class, () -> () -> null)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	/** Spring Boot does not order the warning, and made UNKNOWN of several. */
	@Test
	void severalRegistriesHaveAHealthEachAndTheWorstIsThatOfAll() {
		this.runner.withUserConfiguration(SecondRegistry.class).run((context) -> {
			Health health = context.getBean(BEAN, LockHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(LockHealthIndicator.WARNING);
			assertThat(health.getDetails()).containsOnlyKeys("distributedLockRegistry", "archive");
			assertThat(health.getDetails().get("distributedLockRegistry")).asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("status", "UP")
				.containsKey("details");
			assertThat(health.getDetails().get("archive")).asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("status", "WARNING")
				.extractingByKey("details")
				.asString()
				.contains("allkeys-lru: set maxmemory-policy to noeviction");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class SecondRegistry {

		@Bean(defaultCandidate = false)
		DefaultLockRegistry archive() {
			return new DefaultLockRegistry(new DelegatingLockStore(new MemoryLockStore()) {
				@Override
				public CompletableFuture<List<StoreNode>> nodes() {
					return CompletableFuture.completedFuture(
							List.of(new StoreNode("archive", Duration.ofMillis(1), null, "allkeys-lru", null)));
				}
			});
		}

	}

}
