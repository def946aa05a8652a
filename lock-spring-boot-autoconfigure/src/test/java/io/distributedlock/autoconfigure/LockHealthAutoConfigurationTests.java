package io.distributedlock.autoconfigure;

import io.distributedlock.actuate.LockHealthIndicator;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** When the health of the locks is looked at. */
class LockHealthAutoConfigurationTests {

	private static final String BEAN = "locksHealthContributor";

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
		this.runner.withBean("locksHealthIndicator", HealthIndicator.class, () -> () -> null)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	@Test
	void severalRegistriesHaveAHealthEach() {
		this.runner.withUserConfiguration(SecondRegistry.class)
			.run((context) -> assertThat(context.getBean(BEAN, HealthContributor.class))
				.isInstanceOfSatisfying(CompositeHealthContributor.class, (all) -> {
					assertThat(all.getContributor("distributedLockRegistry")).isInstanceOf(LockHealthIndicator.class);
					assertThat(all.getContributor("archive")).isInstanceOf(LockHealthIndicator.class);
				}));
	}

	@Configuration(proxyBeanMethods = false)
	static class SecondRegistry {

		@Bean(defaultCandidate = false)
		DefaultLockRegistry archive() {
			return new DefaultLockRegistry(new MemoryLockStore());
		}

	}

}
