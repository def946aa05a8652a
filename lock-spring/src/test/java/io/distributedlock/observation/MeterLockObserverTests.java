package io.distributedlock.observation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockObserver;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The timers, which have to be those of observations. */
class MeterLockObserverTests {

	private final MockClock clock = new MockClock();

	private final MeterRegistry meters = registry();

	private final MeterLockObserver observer = new MeterLockObserver(this.meters);

	private MeterRegistry registry() {
		return new SimpleMeterRegistry(SimpleConfig.DEFAULT, this.clock);
	}

	static Stream<Consumer<LockObserver>> ends() {
		LockStoreException away = new LockStoreException(Kind.UNAVAILABLE, "no answer", null);
		LockStoreException wrong = new LockStoreException(Kind.MISCONFIGURED, "NOPERM", null) {
		};
		Stream<Throwable> reasons = Stream.of(away, wrong, new LockNotAcquiredException("k", null, Duration.ZERO),
				new LockRegistryClosedException("stock", "k"), new InterruptedException(),
				new LockInterruptedException("stock", "k", new InterruptedException()), new CancellationException(),
				new LockLostException("stock", "k", LossReason.EXPIRED, false), new IllegalStateException("why"));
		Stream<Consumer<LockObserver>> waits = reasons.map((reason) -> (observer) -> waiting(observer).failed(reason));
		Stream<Consumer<LockObserver>> holds = Stream.of((observer) -> waiting(observer).reentered(),
				(observer) -> waiting(observer).acquired(1), (observer) -> waiting(observer).acquired(1).released(),
				(observer) -> waiting(observer).acquired(1).releaseFailed(away),
				(observer) -> waiting(observer).acquired(1).releaseFailed(wrong),
				(observer) -> waiting(observer).acquired(1).lost(LossReason.EXPIRED, away),
				(observer) -> waiting(observer).acquired(1).lost(LossReason.NOT_OWNER, null));
		return Stream.concat(waits, holds);
	}

	private static LockObserver.Wait waiting(LockObserver observer) {
		return observer.waiting("stock", List.of("k"), LockMode.EXCLUSIVE);
	}

	/** The timers with their tags and counts. */
	private static TreeSet<String> timers(MeterRegistry meters) {
		return meters.getMeters()
			.stream()
			.filter(Timer.class::isInstance)
			.map((meter) -> text(meter.getId()) + " " + ((Timer) meter).count())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String text(Meter.Id id) {
		return id.getName() + new TreeSet<>(id.getTags().stream().map(Object::toString).toList());
	}

	@ParameterizedTest
	@MethodSource("ends")
	void endMakesTheTimersOfObservations(Consumer<LockObserver> end) {
		MeterRegistry observed = registry();
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(observed));
		LockObserver through = new MicrometerLockObserver(observations);
		for (int i = 0; i < 3; i++) {
			end.accept(through);
			end.accept(this.observer);
		}
		assertThat(timers(this.meters)).isNotEmpty().isEqualTo(timers(observed));
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void timerWhenRecordedHasTheMode(LockMode mode) {
		this.observer.waiting("stock", List.of("k"), mode).acquired(1);
		assertThat(this.meters.get("distributed.lock.wait")
			.tag("lock.mode", mode.name().toLowerCase(Locale.ROOT))
			.timer()
			.count()).isOne();
		assertThat(this.meters.find("distributed.lock.wait").timers()).hasSize(1);
	}

	@Test
	void waitAndHoldAreTimedOneAfterTheOther() {
		LockObserver.Wait wait = waiting(this.observer);
		this.clock.add(3, TimeUnit.SECONDS);
		LockObserver.Hold hold = wait.acquired(1);
		this.clock.add(5, TimeUnit.SECONDS);
		hold.released();
		assertThat(this.meters.get("distributed.lock.wait").timer().totalTime(TimeUnit.SECONDS)).isEqualTo(3);
		assertThat(this.meters.get("distributed.lock.hold").timer().totalTime(TimeUnit.SECONDS)).isEqualTo(5);
	}

	@Test
	void endsOtherThanTheUsualAreTimed() {
		LockObserver.Wait wait = waiting(this.observer);
		this.clock.add(3, TimeUnit.SECONDS);
		wait.failed(new CancellationException());
		LockObserver.Hold hold = waiting(this.observer).acquired(1);
		this.clock.add(5, TimeUnit.SECONDS);
		hold.lost(LossReason.EXPIRED, null);
		assertThat(this.meters.get("distributed.lock.wait")
			.tag("lock.outcome", "cancelled")
			.timer()
			.totalTime(TimeUnit.SECONDS)).isEqualTo(3);
		assertThat(this.meters.get("distributed.lock.hold").timer().totalTime(TimeUnit.SECONDS)).isEqualTo(5);
	}

	@Test
	void timersThatWereRemovedComeBack() {
		waiting(this.observer).acquired(1).released();
		this.meters.clear();
		waiting(this.observer).acquired(1).released();
		assertThat(this.meters.get("distributed.lock.wait").timer().count()).isOne();
		assertThat(this.meters.get("distributed.lock.hold").timer().count()).isOne();
	}

	@ParameterizedTest
	@ValueSource(ints = { 10, 100, 1_000, 5_000 })
	void namesInExcessOfTheLimitShareOneTimer(int names) {
		IntStream.range(0, names)
			.forEach((i) -> this.observer.waiting("n" + i, List.of("k"), LockMode.FAIR).acquired(1).released());
		assertThat(this.meters.find("distributed.lock.wait").timers()).hasSize(Math.min(names, 101));
		assertThat(this.meters.find("distributed.lock.hold").timers()).hasSize(Math.min(names, 101));
		assertThat(this.meters.find("distributed.lock.wait").timers().stream().mapToLong(Timer::count).sum())
			.isEqualTo(names);
	}

}
