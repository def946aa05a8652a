package io.distributedlock.autoconfigure;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.diagnostics.FailureReports;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockObserver;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.mockito.Mockito.mock;

/**
 * The output of an application that cannot start because of the locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTests {

	/** Remedies of other causes used to be listed as well. */
	@Test
	void reportWhenThereIsNoStoreListsTheWaysOutOfThatCause(CapturedOutput output) {
		fail();
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.store",
					"cannot be had: there is no RedisConnectionFactory",
					"remove the exclusion of its auto-configuration for Redis", "distributed-lock.store=memory",
					"LockStore bean named distributedLockStore", "distributed-lock.enabled=false")
			.doesNotContain("spring-boot-starter-data-redis", "@Primary");
	}

	@ParameterizedTest
	@CsvSource({ "redis, 'org.springframework.data.redis', Spring Data Redis is not, spring-boot-starter-data-redis",
			"redlock, 'org.springframework.data.redis', Spring Data Redis is not, spring-boot-starter-data-redis",
			"redis, 'io.lettuce,redis.clients', there is no driver, 'lettuce-core'" })
	void reportWhenALibraryIsMissingNamesIt(String store, String missing, String problem, String remedy) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=" + store)
			.withClassLoader(new FilteredClassLoader(missing.split(",")))
			.run((context) -> {
				FailureAnalysis analysis = FailureReports.of(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("Property: distributed-lock.store",
						"Value: \"" + store + "\"", problem);
				assertThat(analysis.getAction()).contains(remedy).doesNotContain("@Primary", "exclusion");
			});
	}

	@Test
	void reportWhenThereAreSeveralObserversNamesThemAndTheWaysOut() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory")
			.withBean("first", LockObserver.class, () -> mock(LockObserver.class));
		runner.withBean("second", LockObserver.class, () -> mock(LockObserver.class)).run((context) -> {
			FailureAnalysis analysis = FailureReports.of(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("has one LockObserver", "[first, second]");
			assertThat(analysis.getAction()).contains("@Primary", "calls the others");
		});
		runner.withBean("second", LockObserver.class, () -> mock(LockObserver.class), (bean) -> bean.setPrimary(true))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/** Spring's own text said nothing of the ways out. */
	@Test
	void reportWhenThereAreSeveralRegistriesNamesThemAndTheWaysOut() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory");
		runner.withBean("archive", DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()))
			.run((context) -> {
				FailureAnalysis analysis = FailureReports.of(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("LockRegistry", "archive", "distributedLockRegistry");
				assertThat(analysis.getAction()).contains("own bean 'distributedLockRegistry'",
						"@Bean(defaultCandidate = false)", "@DistributedLock(registry = ", "@Primary");
			});
		runner.withBean("archiveStore", LockStore.class, MemoryLockStore::new).run((context) -> {
			FailureAnalysis analysis = FailureReports.of(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("LockStore", "archiveStore", "distributedLockStore");
			assertThat(analysis.getAction()).contains("own bean 'distributedLockStore'", "@Primary");
		});
	}

	@Test
	void reportWhenReplicasAreToConfirmWithJedisNamesLettuce() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean(RedisConnectionFactory.class, JedisConnectionFactory::new)
			.withPropertyValues("distributed-lock.redis.replica-acks=1")
			.run((context) -> {
				FailureAnalysis analysis = FailureReports.of(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("distributed-lock.redis.replica-acks",
						"needs the connection factory of Lettuce", JedisConnectionFactory.class.getName());
				assertThat(analysis.getAction()).contains("spring.data.redis.client-type=lettuce");
			});
	}

	@Test
	void reportWhenATtlIsTooShortNamesPropertyValueAndRemedy(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.ttl=100");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.ttl",
				"Value: \"100ms\"", "Reason: it cannot work: ttl 100ms is too short to be renewed: use at least 200ms",
				"Origin: \"distributed-lock.locks.stock.ttl\" from property source",
				"or renew=false beside the ttl in a configuration", "a duration without a unit is in milliseconds");
	}

	@Test
	void reportWhenADurationCannotBeReadNamesPropertyAndValue(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.ttl=ten seconds");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.ttl",
				"Value: \"ten seconds\"", "is not a valid duration");
	}

	@Test
	void reportWhenADurationOfAProfileIsUnreadableNamesItsProperty(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.wait=soon");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.wait",
				"Value: \"soon\"", "is not a valid duration");
	}

	@ParameterizedTest
	@ValueSource(strings = { "etcd", "" })
	void reportWhenTheStoreIsUnknownNamesTheChoices(String store, CapturedOutput output) {
		fail("--distributed-lock.store=" + store);
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.store",
				"Value: \"" + store + "\"", "memory, postgresql, redis, redlock");
	}

	@Test
	void reportWhenAPolicyIsUnknownListsThoseThatAConfigurationCanSay(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.when-busy=skipp");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.when-busy",
				"Value: \"skipp\"", "FALLBACK", "SKIP", "THROW");
	}

	@Test
	void reportWhenAModeIsUnknownListsTheModes(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.mode=shared");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.mode",
				"Value: \"shared\"", "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE");
	}

	/** Modes of other libraries, and of none. */
	@ParameterizedTest
	@CsvSource({ "write, Write exclusive", "Default, Leave the property out" })
	void reportWhenAModeIsMeantThatHasAnotherWordNamesThat(String mode, String remedy, CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.mode=" + mode);
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.mode",
				"Value: \"" + mode + "\"", "Origin: \"distributed-lock.locks.stock.mode\" from property source",
				remedy);
	}

	/** A misspelt property used to be ignored, and the default taken. */
	@ParameterizedTest
	@ValueSource(strings = { "locks.stock.tll", "ttll", "wait-for", "renewed", "redis.cluster", "locks.a.b.ttl" })
	void reportWhenAPropertyDoesNotExistSaysWhichAndWhereItIs(String property, CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock." + property + "=7s");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock." + property,
				"Origin: \"distributed-lock.%s\" from property source".formatted(property),
				"Reason: there is no such property, or it has no value", "distributed-lock.locks[a.b].ttl");
	}

	/** The words of the annotation and of the request are understood as well. */
	@ParameterizedTest
	@CsvSource({ "locks.stock.tll, locks.stock.ttl", "wait-for, wait", "locks.stock.wait-for, locks.stock.wait",
			"renewed, renew", "redis.timeout, redis.command-timeout", "key, key-prefix",
			"locks.stock.hold, locks.stock.max-hold", "lock.stock.ttl, locks.stock.ttl", "redlock.node, redlock.nodes",
			"locks.a.b.ttl, locks[a.b].ttl", "locks[a.b].tll, locks[a.b].ttl", "hand-off.max-count, hand-off",
			"hand-off.max-duration, hand-off", "hand-off.enabled, hand-off", "hand-offs, hand-off",
			"locks.stock.leak-detection, leak-detection", "locks.a.b.hand-off, hand-off",
			"locks.stock.enabled, enabled" })
	void reportWhenAPropertyDoesNotExistNamesTheNearest(String property, String nearest, CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock." + property + "=7s");
		assertThat(output).contains("it has no value. The nearest is distributed-lock." + nearest + "\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ttl", "wait", "max-hold", "redlock.restart-delay", "locks.stock.wait",
			"locks.stock.permits", "locks.stock.when-busy" })
	void reportWhenAValueIsEmptySaysSo(String property, CapturedOutput output) {
		fail("--distributed-lock.%s=".formatted(property));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock." + property,
				"Reason: there is no such property, or it has no value\n", "give it a value, or remove it");
	}

	@ParameterizedTest
	@ValueSource(strings = { "enabled", "renew", "locks.stock.renew" })
	void reportWhenASwitchIsNeitherOnNorOffNamesPropertyAndValue(String property, CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.%s=maybe".formatted(property));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock." + property,
				"Value: \"maybe\"");
	}

	/**
	 * The store was said to be another one, and methods that were to be woven were not
	 * guarded.
	 */
	@ParameterizedTest
	@CsvSource({ "store, 'memory ', memory", "store, red-lock, redlock", "advice, 'aspectj ', aspectj",
			"advice, aspect-j, aspectj" })
	void reportWhenAChoiceIsWrittenInAnotherWayNamesTheSpelling(String property, String written, String choice,
			CapturedOutput output) {
		fail("--distributed-lock.%s=%s".formatted(property, written));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock." + property,
				"Write %s, without blanks around it".formatted(choice));
	}

	/** The value was hidden and the origin unknown. */
	@Test
	void reportWhenANodeIsUnreadableNamesItsPlaceWithoutAPassword(CapturedOutput output) {
		fail("--distributed-lock.store=redlock", "--distributed-lock.redlock.nodes[0]=redis://a",
				"--distributed-lock.redlock.nodes[1]=redis://locks:sec{ret@b:1",
				"--distributed-lock.redlock.nodes[2]=c");
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes[1]", "Value: \"****\"",
					"Origin: \"distributed-lock.redlock.nodes[1]\" from property source", "Reason: it is not a URI",
					"percent-encoded")
			.doesNotContain("sec{ret");
	}

	@Test
	void reportWhenANodeOfAListIsUnreadableNamesWhereTheLineIs(CapturedOutput output) {
		fail("--distributed-lock.store=redlock", "--distributed-lock.redlock.nodes=redis://a,redis://b,c:1");
		assertThat(output).contains("Property: distributed-lock.redlock.nodes[2]", "Value: \"****\"",
				"Origin: \"distributed-lock.redlock.nodes\" from property source",
				"Reason: it begins neither with redis://");
	}

	@Test
	void reportWhenThereAreTooFewNodesNamesWhereTheListBegins(CapturedOutput output) {
		fail("--distributed-lock.store=redlock", "--distributed-lock.redlock.nodes[0]=redis://locks:secret@a");
		assertThat(output)
			.contains("Property: distributed-lock.redlock.nodes" + System.lineSeparator(),
					"Origin: \"distributed-lock.redlock.nodes[0]\" from property source",
					"an odd number of nodes from 3 to 63", "but there are 1")
			.doesNotContain("secret");
	}

	@Test
	void reportWhenNodesAreMisspeltShowsNoPassword(CapturedOutput output) {
		fail("--distributed-lock.store=redlock", "--distributed-lock.redlock.node=redis://locks:secret@a");
		assertThat(output).contains("Property: distributed-lock.redlock.node", "there is no such property")
			.doesNotContain("secret");
	}

	@Test
	void reportWhenNodesHaveNoEffectNamesTheStoreAndTheRemedy(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.redlock.nodes[0]=redis://locks:secret@a");
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "Property: distributed-lock.redlock.nodes", "Value: \"****\"",
					"Origin: \"distributed-lock.redlock.nodes[0]\" from property source",
					"Reason: it has no effect, since distributed-lock.store is memory",
					"Set distributed-lock.store=redlock, or remove the nodes")
			.doesNotContain("secret");
	}

	@Test
	void reportWhenANumberCannotBeReadNamesPropertyAndValue(CapturedOutput output) {
		fail("--distributed-lock.store=memory", "--distributed-lock.locks.stock.permits=many");
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.locks.stock.permits",
				"Value: \"many\"");
	}

	@ParameterizedTest
	@ValueSource(classes = { LockRegistry.class, LockTemplate.class })
	void reportWhenLocksAreDisabledAndOneIsInjectedNamesTheProperty(Class<?> type, CapturedOutput output) {
		SpringApplication application = new SpringApplication(Disabled.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.addInitializers((context) -> ((GenericApplicationContext) context).registerBean("shop",
				Object.class, () -> context.getBean(type)));
		assertThatException().isThrownBy(() -> application.run("--distributed-lock.enabled=false"));
		assertThat(output).contains("APPLICATION FAILED TO START",
				"No qualifying bean of type '%s' available".formatted(type.getName()),
				"because distributed-lock.enabled is false.",
				"Remove distributed-lock.enabled=false, or inject an ObjectProvider", "distributed-lock.store=memory");
	}

	/**
	 * It ran without locks, and a warning named a value that was not set. The context of
	 * an application that was processed ahead of time evaluates no condition.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "--distributed-lock.enabled=true", "--distributed-lock.store=memory" })
	void reportWhenLocksWereDisabledAheadOfTimeNamesTheBuild(String argument, CapturedOutput output) {
		SpringApplication application = new SpringApplication(Nothing.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.addInitializers((context) -> ((GenericApplicationContext) context).registerBean("generated",
				Object.class, () -> new DistributedLockDisabledAutoConfiguration(context.getEnvironment())));
		assertThatException().isThrownBy(() -> application.run(argument));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: distributed-lock.enabled",
				"Value: \"true\"",
				"it has no effect: this application was processed ahead of time (AOT) with false, so its methods would run "
						+ "without their locks",
				"Process it with the value that it is started with, or start it with false.")
			.doesNotContain("is switched off");
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

	@Configuration(proxyBeanMethods = false)
	static class Nothing {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class })
	static class Disabled {

	}

}
