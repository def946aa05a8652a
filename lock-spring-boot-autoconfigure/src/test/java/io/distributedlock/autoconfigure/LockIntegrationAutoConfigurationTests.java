package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.integration.IntegrationLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.PassThruLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/** When the registry of Spring Integration is there, and how it is configured. */
class LockIntegrationAutoConfigurationTests {

	private static final String BEAN = "distributedLockIntegrationRegistry";

	private static final String KEY = "42";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockIntegrationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@Test
	void registryOfSpringIntegrationHasTheLocksOfTheStarter() {
		this.runner.run((context) -> {
			DistributedLock lock = context.getBean(BEAN, IntegrationLockRegistry.class).obtain(KEY);
			assertThat(lock.tryLock()).isTrue();
			assertThat(context.getBean(LockRegistry.class).getLock("spring-integration", KEY).isHeldByCurrentThread())
				.isTrue();
			lock.unlock();
		});
	}

	@Test
	void registryHasTheProfileOfItsName() {
		this.runner.withPropertyValues("distributed-lock.locks.spring-integration.ttl=7m").run((context) -> {
			IntegrationLockRegistry registry = context.getBean(IntegrationLockRegistry.class);
			DistributedLock lock = registry.obtain(KEY);
			lock.lock();
			registry.renewLock(KEY);
			assertThat(context.getBean(DefaultLockRegistry.class)
				.inspect("spring-integration", KEY)
				.holders()
				.get(0)
				.remaining()).isBetween(Duration.ofMinutes(6), Duration.ofMinutes(7));
			lock.unlock();
		});
	}

	@Test
	void registryOfTheApplicationTakesItsPlace() {
		this.runner.withBean(PassThruLockRegistry.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	@Test
	void registryWithoutLocksIsNotThere() {
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	/** The start failed, since the profiles are not there. */
	@Test
	void registryWhereLockingIsOffHasTheLocksOfTheApplication() {
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.withBean(LockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()))
			.run((context) -> {
				DistributedLock lock = context.getBean(BEAN, IntegrationLockRegistry.class).obtain(KEY);
				assertThat(lock.tryLock()).isTrue();
				lock.unlock();
			});
	}

	/** Renewals had cut its leases to 30 seconds. */
	@Test
	void renewalWhereLockingIsOffHasTheTtlOfTheApplication() {
		LockProfiles profiles = new LockProfiles(LockOptions.NONE.withTtl(Duration.ofMinutes(5)), Map.of());
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.withBean(LockRegistry.class,
					() -> new DefaultLockRegistry(new MemoryLockStore(), profiles, EngineSettings.DEFAULTS, null))
			.run((context) -> {
				IntegrationLockRegistry registry = context.getBean(IntegrationLockRegistry.class);
				registry.obtain(KEY).lock();
				registry.renewLock(KEY);
				assertThat(context.getBean(LockRegistry.class).getLock("spring-integration", KEY).lease().remaining())
					.isGreaterThan(Duration.ofMinutes(1));
				registry.obtain(KEY).unlock();
			});
	}

	/** As in an application that has the starter alone. */
	@Test
	void registryWithoutTheBridgeIsNotThere() {
		this.runner.withClassLoader(new FilteredClassLoader(IntegrationLockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	@Test
	void registryWithoutSpringIntegrationIsNotThere() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

	/** Spring Integration 6 has the registries, and no such lock. */
	@Test
	void registryWithSpringIntegration6IsNotThere() {
		this.runner.withClassLoader(new FilteredClassLoader(DistributedLock.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(BEAN));
	}

}
