package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.shedlock.RegistryLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** When there is a lock provider for ShedLock, and on which locks. */
class ShedLockAutoConfigurationTests {

	private static final String BEAN = "distributedLockProvider";

	private static final LockConfiguration REPORT = new LockConfiguration(Instant.EPOCH, "report",
			Duration.ofMinutes(1), Duration.ZERO);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, ShedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@Test
	void providerUsesTheLocksOfTheRegistry() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(LockProvider.class)
				.getBean(BEAN)
				.isInstanceOf(RegistryLockProvider.class);
			SimpleLock lock = context.getBean(LockProvider.class).lock(REPORT).orElseThrow();
			assertThat(context.getBean(LockRegistry.class).tryAcquire(LockRequest.of("shedlock", "report"))).isEmpty();
			lock.unlock();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { LockProvider.class, RegistryLockProvider.class })
	void providerWithoutItsLibraryIsNotThere(Class<?> missing) {
		this.runner.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(BEAN));
	}

	@Test
	void providerOfTheApplicationTakesItsPlace() {
		this.runner.withBean("own", LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockProvider.class)
				.doesNotHaveBean(BEAN));
	}

	@Test
	void providerWhenLockingIsSwitchedOffIsNotThere() {
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProvider.class));
	}

	@Test
	void providerWhenAnotherRegistryIsNoCandidateUsesTheStarters() {
		this.runner.withUserConfiguration(Archive.class).run((context) -> {
			SimpleLock lock = context.getBean(LockProvider.class).lock(REPORT).orElseThrow();
			assertThat(context.getBean("distributedLockRegistry", DefaultLockRegistry.class).held()).hasSize(1);
			assertThat(context.getBean("archiveLocks", DefaultLockRegistry.class).held()).isEmpty();
			lock.unlock();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Archive {

		@Bean(defaultCandidate = false)
		DefaultLockRegistry archiveLocks() {
			return new DefaultLockRegistry(new MemoryLockStore());
		}

	}

}
