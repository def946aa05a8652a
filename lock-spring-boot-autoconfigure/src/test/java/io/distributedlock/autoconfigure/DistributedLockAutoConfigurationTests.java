package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.interceptor.UnprotectedCallListener;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.LockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class DistributedLockAutoConfigurationTests {

	private final ApplicationContextRunner redis = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.port=1")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				DistributedLockDisabledAutoConfiguration.class, BootTypes.REDIS));

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	private final ApplicationContextRunner memory = this.bare.withPropertyValues("distributed-lock.store=memory");

	@Test
	void beansWhenRedisIsConfiguredAreThere() {
		this.redis.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context).getBean("distributedLockStore").isInstanceOf(RedisLockStore.class);
			assertThat(context).getBean("distributedLockRegistry").isInstanceOf(DefaultLockRegistry.class);
			assertThat(context).getBean("distributedLockTemplate").isInstanceOf(LockTemplate.class);
			assertThat(context).getBean("distributedLockProfiles").isInstanceOf(LockProfiles.class);
			assertThat(context).getBean("distributedLockLifecycle").isInstanceOf(LockShutdownLifecycle.class);
		});
	}

	@Test
	void adviceWhenUnknownStopsTheStartWithTheProperty() {
		this.memory.withPropertyValues("distributed-lock.advice=weaving")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("No enum constant")
				.hasStackTraceContaining("distributed-lock.advice"));
	}

	@Test
	void startWhenRedisDoesNotAnswerConnectsInTheBackground() throws IOException {
		try (ServerSocketChannel server = ServerSocketChannel.open()) {
			server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
			this.redis
				.withPropertyValues("spring.data.redis.host=127.0.0.1",
						"spring.data.redis.port=" + server.socket().getLocalPort())
				.run((context) -> {
					assertThat(context).hasNotFailed();
					// Closed, since the context's end waits for the driver's attempt.
					Awaitility.await().until(server::accept, Objects::nonNull).close();
				});
		}
	}

	@Test
	void beanNamesWhenAllAreThereStartWithTheLibrarysName() {
		this.redis.run((context) -> assertThat(context.getBeanDefinitionNames())
			.filteredOn(
					(name) -> context.getType(name).getName().startsWith("io.distributedlock.") && !name.contains("."))
			.isNotEmpty()
			.allMatch((name) -> name.startsWith("distributedLock")));
	}

	@Test
	void storeWhenMemoryIsChosenIsInMemory() {
		this.memory.run((context) -> assertThat(context).getBean(LockStore.class).isInstanceOf(MemoryLockStore.class));
	}

	@Test
	void storeWhenMemoryIsChosenOutsideOfTestsIsWarnedOf(CapturedOutput output) {
		this.memory.withClassLoader(new FilteredClassLoader("org.springframework.test"))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("locks exclude each other within this process only");
	}

	@Test
	void storeWhenMemoryIsChosenInATestIsNotWarnedOf(CapturedOutput output) {
		this.memory.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("within this process only");
	}

	@Test
	void storeWhenABeanOfTheApplicationTakesItsPlaceIsWarnedOf(CapturedOutput output) {
		this.redis.withBean("distributedLockStore", LockStore.class, MemoryLockStore::new)
			.withPropertyValues("distributed-lock.store=redlock",
					"distributed-lock.redlock.nodes=redis://a,redis://b,redis://c")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("distributed-lock.store=redlock has no effect");
	}

	@Test
	void storeWhenItIsTheConfiguredOneIsNotWarnedOf(CapturedOutput output) {
		this.memory.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("has no effect");
	}

	@Test
	void storeWhenMemoryIsChosenBesideRedisIsInMemory() {
		this.redis.withPropertyValues("distributed-lock.store=memory")
			.run((context) -> assertThat(context).getBean(LockStore.class).isInstanceOf(MemoryLockStore.class));
	}

	@Test
	void startWhenThereIsNoStoreFails() {
		this.bare.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidLockPropertyException.class)
			.hasMessageContaining("no RedisConnectionFactory bean"));
	}

	@Test
	void startWhenSpringDataRedisIsAbsentFails() {
		this.bare.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class));
	}

	@Test
	void memoryWhenSpringDataRedisIsAbsentWorks() {
		this.memory.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockTemplate.class));
	}

	@Test
	void startWhenSeveralFactoriesHaveNoPrimaryFails() {
		this.bare.withBean("one", RedisConnectionFactory.class, factory())
			.withBean("two", RedisConnectionFactory.class, factory())
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageContaining("[one, two]"));
	}

	@Test
	void storeWhenOneOfSeveralFactoriesIsPrimaryUsesIt() {
		this.bare.withBean("one", RedisConnectionFactory.class, factory())
			.withBean("two", RedisConnectionFactory.class, factory(), (definition) -> definition.setPrimary(true))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockStore.class));
	}

	@Test
	void storeWhenTheUserHasOneBacksOff() {
		this.redis.withBean("distributedLockStore", LockStore.class, () -> mock(LockStore.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockStore.class)
				.doesNotHaveBean(RedisLockStore.class));
	}

	@Test
	void memoryStoreWhenTheUserHasOneBacksOff() {
		this.memory.withBean("distributedLockStore", LockStore.class, () -> mock(LockStore.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockStore.class)
				.doesNotHaveBean(MemoryLockStore.class));
	}

	@Test
	void registryWhenTheUserHasOneBacksOffAndNeedsNoStore() {
		this.bare.withBean("distributedLockRegistry", LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(DefaultLockRegistry.class)
				.hasSingleBean(LockTemplate.class)
				.doesNotHaveBean(LockStore.class));
	}

	@Test
	void templateWhenTheUserHasOneBacksOff() {
		LockTemplate own = mock(LockTemplate.class);
		this.memory.withBean("distributedLockTemplate", LockTemplate.class, () -> own)
			.run((context) -> assertThat(context).hasNotFailed().getBean(LockTemplate.class).isSameAs(own));
	}

	/** The template used to know the defaults only, and rolled the transaction back. */
	@Test
	void templateWhenAProfileIgnoresLossesLetsTheTransactionCommit() {
		this.memory.withPropertyValues("distributed-lock.locks.stock.when-lost=ignore")
			.withBean(AbstractPlatformTransactionManager.class, SynchronizedTransactions::new)
			.run((context) -> {
				LockRequest request = LockRequest.of("stock", "k").ttl(Duration.ofMillis(50)).renew(false);
				LockTemplate template = context.getBean(LockTemplate.class);
				String result = new TransactionTemplate(context.getBean(AbstractPlatformTransactionManager.class))
					.execute((status) -> template.execute(request, (lease) -> {
						Awaitility.await().until(() -> !lease.isHeld());
						return "committed";
					}));
				assertThat(result).isEqualTo("committed");
			});
	}

	@Test
	void profilesWhenTheUserHasSomeBackOff() {
		this.memory.withBean("own", LockProfiles.class, () -> LockProfiles.DEFAULTS)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockProfiles.class).hasBean("own"));
	}

	@Test
	void unprotectedCallWhenToldBecomesAnEvent() {
		List<LockEvent> events = new ArrayList<>();
		LockStoreException cause = new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "down", null);
		this.memory.withBean(LockEventListener.class, () -> events::add).run((context) -> {
			context.getBean(UnprotectedCallListener.class)
				.onUnprotectedCall(LockRequest.ofAll("a", "b").name("stock"), cause);
			assertThat(events).containsExactly(new LockEvent.Unprotected("stock", "a", LockMode.EXCLUSIVE, cause),
					new LockEvent.Unprotected("stock", "b", LockMode.EXCLUSIVE, cause));
		});
	}

	@Test
	void applicationListenerWhenAddedLaterIsToldFromABusyLockOn() {
		List<Object> events = new CopyOnWriteArrayList<>();
		this.memory.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("a").waitFor(Duration.ZERO);
			registry.acquire(request).close();
			Lease lease = registry.acquire(request);
			context.getSourceApplicationContext(ConfigurableApplicationContext.class)
				.addApplicationListener(ApplicationListener.forPayload(events::add));
			assertThat(registry.tryAcquire(request)).isEmpty();
			lease.close();
			Awaitility.await()
				.untilAsserted(() -> assertThat(events).hasAtLeastOneElementOfType(LockEvent.Busy.class)
					.hasAtLeastOneElementOfType(LockEvent.Released.class));
		});
	}

	@ParameterizedTest
	@CsvSource({ ", FAIR", "READ, FAIR" })
	void unprotectedCallWhenTheProfileHasAModeIsToldWithThat(LockMode asked, LockMode told) {
		assertUnprotected(this.memory.withPropertyValues("distributed-lock.locks.stock.mode=fair"), asked, told);
	}

	@ParameterizedTest
	@CsvSource({ ", EXCLUSIVE", "EXCLUSIVE, EXCLUSIVE", "FAIR, FAIR", "READ, READ" })
	void unprotectedCallIsToldWithItsMode(LockMode asked, LockMode told) {
		assertUnprotected(this.memory, asked, told);
	}

	private static void assertUnprotected(ApplicationContextRunner runner, LockMode asked, LockMode told) {
		List<LockEvent> events = new ArrayList<>();
		LockStoreException cause = new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "down", null);
		LockRequest request = LockRequest.of("stock", "a");
		runner.withBean(LockEventListener.class, () -> events::add).run((context) -> {
			context.getBean(UnprotectedCallListener.class)
				.onUnprotectedCall((asked != null) ? request.mode(asked) : request, cause);
			assertThat(events).containsExactly(new LockEvent.Unprotected("stock", "a", told, cause));
		});
	}

	@Test
	void unprotectedCallListenerWhenTheUserHasOneBacksOff() {
		this.memory.withBean("own", UnprotectedCallListener.class, () -> mock(UnprotectedCallListener.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(UnprotectedCallListener.class));
	}

	@Test
	void lifecycleWhenTheUserHasOneOfThatNameBacksOff() {
		this.memory.withBean("distributedLockLifecycle", Object.class, Object::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockShutdownLifecycle.class));
	}

	@Test
	void disabledWhenSetLeavesNoBeanAndWarnsOnce(CapturedOutput output) {
		this.redis.withPropertyValues("distributed-lock.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(LockRegistry.class)
				.doesNotHaveBean(LockTemplate.class)
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(LockProfiles.class)
				.doesNotHaveBean(LockInterceptorConfiguration.class)
				.doesNotHaveBean(DistributedLockProperties.class);
			assertThat(output).containsOnlyOnce("run without a lock");
		});
	}

	@Test
	void warningWhenEnabledIsAbsent(CapturedOutput output) {
		this.redis.run((context) -> assertThat(output).doesNotContain("without a lock"));
	}

	private static Supplier<RedisConnectionFactory> factory() {
		return () -> new LettuceConnectionFactory("localhost", 1);
	}

	/** Transactions that consist of their synchronizations. */
	private static final class SynchronizedTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
