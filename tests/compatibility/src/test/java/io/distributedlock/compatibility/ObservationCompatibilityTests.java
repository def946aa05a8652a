package io.distributedlock.compatibility;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.event.LockObserver;
import io.distributedlock.observation.LockMeter;
import io.distributedlock.observation.LockObservation;
import io.distributedlock.observation.MeterLockObserver;
import io.distributedlock.observation.MicrometerLockObserver;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The meters and observations of guarded methods on every supported Spring Boot, whose
 * auto-configurations of both have moved between the versions.
 */
class ObservationCompatibilityTests {

	/** Those of an application without elections. */
	private static final Set<LockMeter> METERS = EnumSet.complementOf(EnumSet.of(LockMeter.LEADER));

	/** The common pool may have one thread, also for calls that block: since JDK 25. */
	private static final Executor THREADS = (task) -> new Thread(task).start();

	private static RedisServer server;

	private ConfigurableApplicationContext context;

	private Stock stock;

	private MeterRegistry meters;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void start() {
		start(new String[0]);
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	private void start(String... arguments) {
		SpringApplication application = new SpringApplication(Shop.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setDefaultProperties(Map.of("spring.data.redis.host", server.host(), "spring.data.redis.port",
				server.port(), "distributed-lock.wait", "30s"));
		this.context = application.run(arguments);
		this.stock = this.context.getBean(Stock.class);
		this.meters = this.context.getBean(MeterRegistry.class);
	}

	private void restart(String... arguments) {
		stop();
		start(arguments);
	}

	@Test
	void metersWhenNothingHasHappenedAreAllThere() {
		for (LockMeter documented : METERS) {
			assertThat(this.meters.get(documented.getName()).tag("registry", "distributedLockRegistry").meters())
				.as(documented.getName())
				.isNotEmpty()
				.allSatisfy((meter) -> {
					assertThat(meter.getId().getType()).isEqualTo(documented.getType());
					assertThat(meter.getId().getBaseUnit()).isEqualTo(documented.getBaseUnit());
					assertThat(meter.getId().getDescription()).isEqualTo(documented.getDescription());
					assertThat(meter.getId().getTags()).hasSize(documented.getKeyNames().length + 1);
				});
		}
	}

	@Test
	void timersAreWrittenWithoutObservations() {
		assertThat(this.context.getBean(LockObserver.class)).isInstanceOf(MeterLockObserver.class);
		restart("--management.observations.key-values.team=shop");
		assertThat(this.context.getBean(LockObserver.class)).isInstanceOf(MicrometerLockObserver.class);
		this.stock.sell(() -> true);
		assertThat(this.meters.get(LockObservation.HOLD.getName()).tag("team", "shop").timer().count()).isOne();
		assertThat(this.stock.sell(() -> active(LockObservation.HOLD) == 1)).isTrue();
	}

	@Test
	void uncontendedCallIsOneWaitAndOneHold() {
		assertThat(this.stock.sell(() -> gauge(LockMeter.HELD) == 1)).isTrue();
		assertThat(timer(LockObservation.WAIT, "acquired").count()).isOne();
		assertThat(timer(LockObservation.HOLD, "released").count()).isOne();
		assertThat(gauge(LockMeter.HELD)).isZero();
		assertThat(gauge(LockMeter.WAITING)).isZero();
		assertThat(gauge(LockMeter.OLDEST_WAIT)).isZero();
		assertThat(lockMeters()).containsExactlyInAnyOrderElementsOf(documentedMeters());
	}

	/** The last of three callers has the lock from the second, behind which it waited. */
	@Test
	void contendedCallsWaitAndAreHandedTheLock() {
		Awaitility.await().until(() -> {
			List<CompletableFuture<Boolean>> others = new ArrayList<>();
			this.stock.sell(() -> {
				others.add(CompletableFuture.supplyAsync(() -> this.stock.sell(() -> true), THREADS));
				others.add(CompletableFuture.supplyAsync(() -> this.stock.sell(() -> true), THREADS));
				Awaitility.await().until(() -> gauge(LockMeter.WAITING) == 2 && gauge(LockMeter.OLDEST_WAIT) > 0.05);
				assertThat(gauge(LockMeter.HELD)).isOne();
				return true;
			});
			others.forEach(CompletableFuture::join);
			return count(LockMeter.HAND_OFFS, "from", "this_instance") > 0;
		});
		Timer waits = timer(LockObservation.WAIT, "acquired");
		Timer holds = timer(LockObservation.HOLD, "released");
		assertThat(waits.count()).isEqualTo(holds.count()).isGreaterThanOrEqualTo(3);
		assertThat(waits.max(TimeUnit.MILLISECONDS)).isGreaterThan(50);
		assertThat(holds.max(TimeUnit.MILLISECONDS)).isGreaterThan(50);
	}

	@Test
	void callThatGivesUpIsAWaitWithoutAHold() {
		restart("--distributed-lock.locks.stock.wait=0");
		this.stock.sell(() -> {
			CompletableFuture
				.runAsync(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.stock.sell(() -> true)))
				.join();
			return true;
		});
		assertThat(timer(LockObservation.WAIT, "busy").count()).isOne();
		assertThat(timer(LockObservation.WAIT, "acquired").count()).isOne();
		assertThat(timer(LockObservation.HOLD, "released").count()).isOne();
	}

	@Test
	void renewalsAndTheNodeAreCountedAndNothingElse() {
		restart("--distributed-lock.locks.stock.ttl=1500ms");
		this.stock.sell(() -> {
			Awaitility.await().until(() -> count(LockMeter.RENEWALS, "outcome", "confirmed") > 0);
			return true;
		});
		assertThat(count(LockMeter.RENEWALS, "outcome", "failed")).isZero();
		assertThat(count(LockMeter.ENDANGERED)).isZero();
		assertThat(count(LockMeter.DROPPED_EVENTS)).isZero();
		assertThat(this.meters.get(LockMeter.LOST.getName()).functionCounters()).extracting(FunctionCounter::count)
			.containsOnly(0.0);
		assertThat(this.meters.get(LockMeter.STORE_ERRORS.getName()).functionCounters())
			.extracting(FunctionCounter::count)
			.containsOnly(0.0);
		assertThat(gauge(LockMeter.LAST_ANSWER, "node", server.host() + ":" + server.port())).isBetween(0.0, 60.0);
	}

	@Test
	void holdWhenItsObservationIsDisabledIsNotSeen() {
		restart("--management.observations.enable.distributed.lock.hold=false");
		this.stock.sell(() -> true);
		assertThat(timer(LockObservation.WAIT, "acquired").count()).isOne();
		assertThat(this.meters.find(LockObservation.HOLD.getName()).meters()).isEmpty();
	}

	@Test
	void callWhenObservationIsDisabledIsNotSeen() {
		restart("--distributed-lock.observation.enabled=false");
		this.stock.sell(() -> true);
		assertThat(lockMeters()).isEmpty();
	}

	private double gauge(LockMeter meter, String... tags) {
		return this.meters.get(meter.getName()).tags(tags).gauge().value();
	}

	private double count(LockMeter meter, String... tags) {
		return this.meters.get(meter.getName()).tags(tags).functionCounter().count();
	}

	private int active(LockObservation observation) {
		return this.meters.get(observation.getName() + ".active")
			.tags("lock.name", "stock", "lock.mode", "exclusive")
			.longTaskTimer()
			.activeTasks();
	}

	private Timer timer(LockObservation observation, String outcome) {
		return this.meters.get(observation.getName())
			.tags("lock.name", "stock", "lock.mode", "exclusive", "lock.outcome", outcome, "error", "none")
			.timer();
	}

	private Stream<String> lockMeters() {
		return this.meters.getMeters()
			.stream()
			.map(Meter::getId)
			.map(Meter.Id::getName)
			.filter((name) -> name.startsWith("distributed.lock."))
			.distinct();
	}

	private static Iterable<String> documentedMeters() {
		Stream<String> timers = Arrays.stream(LockObservation.values()).map(LockObservation::getName);
		return Stream.concat(METERS.stream().map(LockMeter::getName), timers).toList();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	static class Stock {

		@DistributedLock(key = "'item'", name = "stock")
		public boolean sell(BooleanSupplier body) {
			return body.getAsBoolean();
		}

	}

}
