package com.example.mapstore;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** A store on the class path can be chosen by its name, and is named to those who err. */
@ExtendWith(OutputCaptureExtension.class)
class MapLockStoreConfigurationTests {

	private static final MapLockProperties SETTINGS = new MapLockProperties(Duration.ofMinutes(1),
			Duration.ofSeconds(1));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@Test
	void storeWhenChosenByItsNameKeepsTheLocks(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.store=map", "map.name=any").run((context) -> {
			assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(MapLockStore.class);
			assertThat(context.getBean(LockTemplate.class).<String>execute("order:42", () -> "done")).isEqualTo("done");
		});
		assertThat(output).doesNotContain("has no effect");
	}

	@Test
	void storeHasTheSettingsOfItsPrefix() {
		this.runner
			.withPropertyValues("distributed-lock.store=map", "map.name=any", "map.command-timeout=3s",
					"map.retention=5m")
			.run((context) -> assertThat(context.getBean(LockStore.class).commandTimeout())
				.isEqualTo(Duration.ofSeconds(3)));
		this.runner.withPropertyValues("distributed-lock.store=map", "map.name=any", "map.retention=1ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("retention must be between 1s and 365d"));
	}

	@Test
	void storeWhenTheApplicationHasARegistryIsNotThere() {
		this.runner.withPropertyValues("distributed-lock.store=map", "map.name=any")
			.withBean("distributedLockRegistry", DefaultLockRegistry.class,
					() -> new DefaultLockRegistry(new MemoryLockStore()))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockStore.class));
	}

	/**
	 * Boot's own order is by name, and io.distributedlock comes before
	 * org.springframework.
	 */
	@Test
	void storesAreConfiguredAfterWhatTheyMayNeed() {
		List<String> names = ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
			.getCandidates();
		Class<?>[] all = names.stream()
			.filter((name) -> name.startsWith("io.distributedlock") || name.endsWith("TaskExecutionAutoConfiguration"))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
		assertThat(Configurations.getClasses(AutoConfigurations.of(all))).extracting(Class::getSimpleName)
			.containsSubsequence("TaskExecutionAutoConfiguration", "DistributedLockAutoConfiguration",
					"LockHealthAutoConfiguration");
	}

	@Test
	void storeWhenItsNameIsInUpperCaseIsTheSame() {
		this.runner.withPropertyValues("distributed-lock.store=MAP", "map.name=any")
			.run((context) -> assertThat(context).hasSingleBean(MapLockStore.class));
	}

	@Test
	void storeWhenAnotherIsChosenIsNotThere() {
		this.runner.withPropertyValues("distributed-lock.store=memory", "map.name=any")
			.run((context) -> assertThat(context).hasSingleBean(LockStore.class).doesNotHaveBean(MapLockStore.class));
	}

	@Test
	void startWhenTheNameIsOfNoStoreListsThisOneAsWell() {
		this.runner.withPropertyValues("distributed-lock.store=mapp")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("distributed-lock.store=mapp", "map, memory, postgresql, redis, redlock"));
	}

	@Test
	void startWhenSomethingIsMissingSaysSoInTheWordsOfTheStore() {
		this.runner.withPropertyValues("distributed-lock.store=map")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("distributed-lock.store=map cannot be had: there is no map",
						"Name one by map.name", "distributed-lock.store=memory"));
	}

	@Test
	void storeWhenABeanOfTheApplicationTakesItsPlaceIsWarnedOf(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.store=memory")
			.withBean("distributedLockStore", MapLockStore.class, () -> new MapLockStore(new LockMap(), SETTINGS))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("distributed-lock.store=memory has no effect")
			.contains(MapLockStore.class.getName());
	}

	@Test
	void startWhenTheStoreFailsSpeaksOfNoOtherStore(CapturedOutput output) {
		assertThatException().isThrownBy(() -> new SpringApplication(FailingApplication.class)
			.run("--distributed-lock.store=map", "--map.name=any", "--spring.main.web-application-type=none"));
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "The store of the distributed locks failed:", "The map is torn")
			.doesNotContain("Redis");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class FailingApplication {

		@Bean
		SmartInitializingSingleton lock() {
			return () -> {
				throw new LockStoreException(Kind.MISCONFIGURED, "The map is torn", null);
			};
		}

	}

}
