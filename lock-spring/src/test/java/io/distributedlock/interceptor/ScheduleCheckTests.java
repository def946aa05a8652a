package io.distributedlock.interceptor;

import java.util.concurrent.TimeUnit;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/** A job that keeps its lock for longer than its period skips runs in silence. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduleCheckTests {

	private static void start(Class<?> bean) {
		new GuardedContext().property("rate", "10s").checked().start(bean).close();
	}

	@ParameterizedTest
	@ValueSource(classes = { Rate.class, RateOfUnit.class, RateText.class, Delay.class, EveryMinute.class,
			OfOneMonth.class, SecondOfTwo.class })
	void keepForWhenAtLeastThePeriodIsWarnedOf(Class<?> bean, CapturedOutput output) {
		start(bean);
		assertThat(output).containsOnlyOnce("but keeps its lock for")
			.contains(bean.getSimpleName() + ".run() is scheduled every");
	}

	@Test
	void keepForWhenTooLongIsNamedWithThePeriod(CapturedOutput output) {
		start(SecondOfTwo.class);
		assertThat(output).contains("is scheduled every 5m, but keeps its lock for 50m");
	}

	@ParameterizedTest
	@ValueSource(classes = { Shorter.class, WorkingDays.class, Disabled.class, Unreadable.class, NotKept.class })
	void keepForWhenShorterOrNotKnownIsNotWarnedOf(Class<?> bean, CapturedOutput output) {
		start(bean);
		assertThat(output).doesNotContain("keeps its lock");
	}

	static class Rate {

		@Scheduled(fixedRate = 60_000)
		@DistributedLock(keepFor = "60s")
		public void run() {
		}

	}

	static class RateOfUnit {

		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.MINUTES)
		@DistributedLock(keepFor = "61s")
		public void run() {
		}

	}

	static class RateText {

		@Scheduled(fixedRateString = "${rate}")
		@DistributedLock(keepFor = "11s")
		public void run() {
		}

	}

	static class Delay {

		@Scheduled(fixedDelayString = "5", timeUnit = TimeUnit.SECONDS)
		@DistributedLock(keepFor = "10s")
		public void run() {
		}

	}

	static class EveryMinute {

		@Scheduled(cron = "0 * * * * *")
		@DistributedLock(keepFor = "90s")
		public void run() {
		}

	}

	static class OfOneMonth {

		@Scheduled(cron = "@monthly", zone = "Europe/Berlin")
		@DistributedLock(keepFor = "30d")
		public void run() {
		}

	}

	static class SecondOfTwo {

		@Scheduled(cron = "0 0,5 9 * * MON-FRI")
		@DistributedLock(keepFor = "50m")
		public void run() {
		}

	}

	static class Shorter {

		@Scheduled(fixedRateString = "${rate}")
		@DistributedLock(keepFor = "9s")
		public void run() {
		}

	}

	static class WorkingDays {

		@Scheduled(cron = "0 0 9 * * MON-FRI", zone = "UTC")
		@DistributedLock(keepFor = "23h")
		public void run() {
		}

	}

	static class Disabled {

		@Scheduled(cron = Scheduled.CRON_DISABLED)
		@DistributedLock(keepFor = "1d")
		public void run() {
		}

	}

	static class Unreadable {

		@Scheduled(cron = "#{@schedule}")
		@DistributedLock(keepFor = "1d")
		public void run() {
		}

	}

	static class NotKept {

		@Scheduled(fixedRate = 1)
		@DistributedLock
		public void run() {
		}

	}

}
