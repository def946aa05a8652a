package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockTemplate;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.mockito.Mockito.mock;

/**
 * Beans of the application beside those of the starter. A second registry used to take
 * the place of the first, so that all guarded methods silently moved to its locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class SeveralRegistriesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@Test
	void registryWhenAnotherIsNoDefaultCandidateGuardsMethods() {
		this.runner.withUserConfiguration(Archive.class).withBean(Guarded.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBeansOfType(LockRegistry.class)).containsOnlyKeys("archiveLocks",
					"distributedLockRegistry");
			Guarded.whileGuarded = () -> {
				assertThat(isFree(context, "distributedLockRegistry")).isFalse();
				assertThat(isFree(context, "archiveLocks")).isTrue();
			};
			context.getBean(Guarded.class).usual();
		});
	}

	@Test
	void registryWhenNamedByAMethodIsTheOneOfItsLock() {
		this.runner.withUserConfiguration(Archive.class).withBean(Guarded.class).run((context) -> {
			Guarded.whileGuarded = () -> assertThat(isFree(context, "archiveLocks")).isFalse();
			context.getBean(Guarded.class).archived();
		});
	}

	@Test
	void templatesWhenAnotherRegistryIsNoCandidateUseTheStarters() {
		this.runner.withUserConfiguration(Archive.class)
			.run((context) -> context.getBean(LockTemplate.class).execute("k", () -> {
				assertThat(isFree(context, "distributedLockRegistry")).isFalse();
				assertThat(isFree(context, "archiveLocks")).isTrue();
				return null;
			}));
	}

	@Test
	void registryWhenNoDefaultCandidateIsClosedAfterAllPhases() {
		boolean[] closed = { true };
		LockRegistry[] closing = new LockRegistry[1];
		this.runner.withUserConfiguration(Archive.class).run((context) -> {
			LockRegistry archive = context.getBean("archiveLocks", LockRegistry.class);
			closing[0] = archive;
			context.getSourceApplicationContext(GenericApplicationContext.class)
				.getBeanFactory()
				.registerSingleton("connectionFactory", new Stopping(() -> closed[0] = isClosed(archive)));
			context.getSourceApplicationContext().start();
		});
		assertThat(closed).containsExactly(false);
		assertThat(isClosed(closing[0])).isTrue();
	}

	@Test
	void registryWhenAnotherIsOneAsWellStopsTheStart() {
		this.runner.withUserConfiguration(Ambiguous.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContaining("archiveLocks")
				.hasMessageContaining("distributedLockRegistry"));
	}

	@Test
	void reportWhenTwoRegistriesCompeteNamesTheWaysOut(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Ambiguous.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run("--distributed-lock.store=memory"));
		assertThat(output).contains("APPLICATION FAILED TO START", "Several beans are candidates", "archiveLocks",
				"distributedLockRegistry", "@Primary", "@Qualifier");
	}

	@Test
	void registryWhenAnotherIsPrimaryIsTheOneOfGuardedMethods() {
		this.runner.withUserConfiguration(First.class).withBean(Guarded.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Guarded.whileGuarded = () -> assertThat(isFree(context, "archiveLocks")).isFalse();
			context.getBean(Guarded.class).usual();
		});
	}

	@Test
	void templateWhenAnotherIsThereStays() {
		this.runner.withBean("archiveTemplate", LockTemplate.class, () -> mock(LockTemplate.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("archiveTemplate")
				.hasBean("distributedLockTemplate"));
	}

	@Test
	void reactiveTemplateWhenAnotherIsThereStays() {
		this.runner.withBean("archiveTemplate", ReactiveLockTemplate.class, () -> mock(ReactiveLockTemplate.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("archiveTemplate")
				.hasBean("distributedLockReactiveTemplate"));
	}

	/** The default registry used to take any store for its own. */
	@Test
	void storeWhenAnotherIsThereStopsTheStart() {
		this.runner.withBean("archiveStore", LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContaining("archiveStore")
				.hasMessageContaining("distributedLockStore"));
	}

	private static boolean isFree(AssertableApplicationContext context, String registry) {
		return context.getBean(registry, LockRegistry.class)
			.tryAcquire(LockRequest.of("k").waitFor(Duration.ZERO))
			.map((lease) -> {
				lease.close();
				return true;
			})
			.orElse(false);
	}

	private static boolean isClosed(LockRegistry registry) {
		try {
			registry.acquire(LockRequest.of("probe")).close();
			return false;
		}
		catch (LockRegistryClosedException ex) {
			return true;
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Archive {

		@Bean(defaultCandidate = false)
		DefaultLockRegistry archiveLocks() {
			return new DefaultLockRegistry(new MemoryLockStore(new MemoryLocks()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Ambiguous {

		@Bean
		DefaultLockRegistry archiveLocks() {
			return new DefaultLockRegistry(new MemoryLockStore());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class First {

		@Bean
		@Primary
		DefaultLockRegistry archiveLocks() {
			return new DefaultLockRegistry(new MemoryLockStore());
		}

	}

	static class Guarded {

		private static Runnable whileGuarded = () -> {
		};

		@DistributedLock("'k'")
		public void usual() {
			whileGuarded.run();
		}

		@DistributedLock(key = "'k'", registry = "archiveLocks")
		public void archived() {
			whileGuarded.run();
		}

	}

	private record Stopping(Runnable onStop) implements SmartLifecycle {

		@Override
		public void start() {
		}

		@Override
		public void stop() {
			this.onStop.run();
		}

		@Override
		public boolean isRunning() {
			return true;
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

}
