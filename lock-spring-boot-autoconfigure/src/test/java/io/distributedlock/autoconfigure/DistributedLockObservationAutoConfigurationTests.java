package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockObserver;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.observation.DefaultLockObservationConvention;
import io.distributedlock.observation.LockMeters;
import io.distributedlock.observation.LockObservationContext;
import io.distributedlock.observation.LockObservationConvention;
import io.distributedlock.observation.MeterLockObserver;
import io.distributedlock.observation.MicrometerLockObserver;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class DistributedLockObservationAutoConfigurationTests {

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				DistributedLockObservationAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.bare
		.withConfiguration(AutoConfigurations.of(ofMetrics("MetricsAutoConfiguration"),
				ofMetrics("CompositeMeterRegistryAutoConfiguration"), ofObservations("ObservationAutoConfiguration")))
		.withBean(SimpleMeterRegistry.class);

	@Test
	void lockWhenUsedIsObservedAndCounted() {
		this.runner.run((context) -> {
			context.getBean(LockRegistry.class).acquire(LockRequest.of("stock", "k")).close();
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("distributed.lock.wait")
				.tags("lock.name", "stock", "lock.mode", "exclusive", "lock.outcome", "acquired", "error", "none")
				.timer()
				.count()).isOne();
			assertThat(meters.get("distributed.lock.hold").tag("lock.outcome", "released").timer().count()).isOne();
			assertThat(meters.get("distributed.lock.held").tag("registry", "distributedLockRegistry").gauge().value())
				.isZero();
		});
	}

	/** Three hundred names made more than a thousand meters, without a word. */
	@Test
	void namesThatAreMadeAtRunTimeMakeNoMetersWithoutEnd(CapturedOutput output) {
		this.runner.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			IntStream.range(0, 5_000).forEach((i) -> registry.acquire(LockRequest.of("k").name("order-" + i)).close());
			assertThat(meters.find("distributed.lock.wait").timers()).hasSize(101);
			assertThat(meters.find("distributed.lock.hold").timers()).hasSize(101);
			assertThat(meters.get("distributed.lock.wait").tag("lock.name", "order-99").timer().count()).isOne();
			assertThat(meters.get("distributed.lock.wait").tag("lock.name", "other").timer().count()).isEqualTo(4_900);
			assertThat(output.toString().lines().filter((line) -> line.contains("More than 100 names of locks")))
				.singleElement()
				.asString()
				.contains("'order-100'");
		});
	}

	@Test
	void onlyTimersAreWrittenWhereNothingElseIsWanted() {
		this.runner.withPropertyValues("management.observations.enable.tasks=false")
			.run((context) -> assertThat(context).hasSingleBean(MeterLockObserver.class)
				.hasSingleBean(LockObserver.class));
	}

	static Stream<Arguments> usesOfObservations() {
		return Stream.of(use("tracing", (it) -> it.withBean(LastKeys.class)),
				use("convention",
						(it) -> it.withBean(LockObservationConvention.class, DefaultLockObservationConvention::new)),
				use("predicate",
						(it) -> it.withBean(ObservationPredicate.class, () -> (name, context) -> context != null)),
				use("filter", (it) -> it.withBean(ObservationFilter.class, () -> (context) -> context)),
				use("customizer", (it) -> withCustomizer(it, ofObservations("ObservationRegistryCustomizer"))),
				use("registry", (it) -> it.withBean(ObservationRegistry.class, ObservationRegistry::create)),
				use("meters",
						(it) -> it.withBean("others", DefaultMeterObservationHandler.class,
								() -> new DefaultMeterObservationHandler(new SimpleMeterRegistry()))),
				use("keys", (it) -> it.withPropertyValues("distributed-lock.observation.include-key=true")),
				use("values", (it) -> it.withPropertyValues("management.observations.key-values.team=shop")),
				use("all", (it) -> it.withPropertyValues("management.observations.enable.all=true")),
				use("lock", (it) -> it.withPropertyValues("management.observations.enable.distributed.lock=true")),
				use("hold",
						(it) -> it.withPropertyValues("management.observations.enable.distributed.lock.hold=false")));
	}

	private static <T> ApplicationContextRunner withCustomizer(ApplicationContextRunner runner, Class<T> type) {
		return runner.withBean(type, () -> BootTypes.customizer(type));
	}

	private static Class<?> ofMetrics(String name) {
		return BootTypes.either("micrometer.metrics.autoconfigure." + name, "actuate.autoconfigure.metrics." + name);
	}

	private static Class<?> ofObservations(String name) {
		return BootTypes.either("micrometer.observation.autoconfigure." + name,
				"actuate.autoconfigure.observation." + name);
	}

	private static Arguments use(String name, UnaryOperator<ApplicationContextRunner> use) {
		return Arguments.of(Named.of(name, use));
	}

	@Test
	void observationsAreMadeWhereAParentUsesThem() {
		new ApplicationContextRunner().withBean(LastKeys.class)
			.run((parent) -> this.runner.withParent(parent)
				.run((context) -> assertThat(context).hasSingleBean(MicrometerLockObserver.class)));
	}

	@ParameterizedTest
	@MethodSource("usesOfObservations")
	void observationsAreMadeWhereTheApplicationUsesThem(UnaryOperator<ApplicationContextRunner> use) {
		use.apply(this.runner)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(MicrometerLockObserver.class)
				.hasSingleBean(LockObserver.class));
	}

	@Test
	void nothingIsObservedWithoutRegistries() {
		this.bare.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(LockObserver.class)
			.doesNotHaveBean(LockMeters.class)
			.hasSingleBean(LockRegistry.class));
	}

	@Test
	void nothingIsObservedWithoutMicrometer() {
		this.bare.withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(LockObserver.class).doesNotHaveBean(LockMeters.class);
			context.getBean(LockRegistry.class).acquire(LockRequest.of("k")).close();
		});
	}

	@Test
	void observationsDoNotNeedMeters() {
		this.bare.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(MicrometerLockObserver.class)
				.doesNotHaveBean(LockMeters.class));
	}

	@Test
	void nothingIsObservedWhenSwitchedOff() {
		this.runner.withPropertyValues("distributed-lock.observation.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockObserver.class)
				.doesNotHaveBean(LockMeters.class));
	}

	@Test
	void nothingIsObservedWithoutLocks() {
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockObserver.class)
				.doesNotHaveBean(LockMeters.class));
	}

	/** The start failed, since the settings are not there. */
	@Test
	void observerWhereLockingIsOffIsThereForLocksOfTheApplication() {
		this.runner
			.withPropertyValues("distributed-lock.enabled=false", "distributed-lock.observation.include-key=true")
			.withBean(DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockMeters.class)
				.hasSingleBean(MicrometerLockObserver.class));
	}

	@Test
	void wrongValueStopsTheStart() {
		this.runner.withPropertyValues("distributed-lock.observation.include-key=maybe")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("Invalid boolean value"));
	}

	@Test
	void keyIsIncludedWhenAskedFor() {
		LastKeys last = new LastKeys();
		this.runner.withBean(LastKeys.class, () -> last)
			.withPropertyValues("distributed-lock.observation.include-key=true")
			.run((context) -> {
				context.getBean(LockRegistry.class).acquire(LockRequest.of("k")).close();
				assertThat(last.keys).contains(KeyValue.of("lock.key", "k"));
			});
	}

	@Test
	void conventionOfTheUserReplacesTheDefault() {
		LockObservationConvention own = new DefaultLockObservationConvention() {
			@Override
			public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
				return super.getLowCardinalityKeyValues(context).and("team", "shop");
			}
		};
		this.runner.withBean(LockObservationConvention.class, () -> own).run((context) -> {
			context.getBean(LockRegistry.class).acquire(LockRequest.of("k")).close();
			assertThat(context.getBean(MeterRegistry.class)
				.get("distributed.lock.wait")
				.tags("team", "shop", "lock.name", "none")
				.timer()
				.count()).isOne();
		});
	}

	@Test
	void observerOfTheUserReplacesTheDefault() {
		this.runner.withBean(LockObserver.class, () -> mock(LockObserver.class))
			.run((context) -> assertThat(context).hasSingleBean(LockObserver.class)
				.doesNotHaveBean(MicrometerLockObserver.class));
	}

	/** Names that differ between Spring Boot 3 and 4. */
	@Test
	void orderWhenReadComesAfterTheRegistriesOfEveryGeneration() {
		AutoConfiguration annotation = DistributedLockObservationAutoConfiguration.class
			.getAnnotation(AutoConfiguration.class);
		assertThat(annotation.afterName()).containsExactlyInAnyOrder(
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration");
	}

	private static final class LastKeys implements ObservationHandler<LockObservationContext> {

		private List<KeyValue> keys = List.of();

		@Override
		public void onStop(LockObservationContext context) {
			this.keys = context.getHighCardinalityKeyValues().stream().toList();
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockObservationContext;
		}

	}

}
