package io.distributedlock.faults;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClockStepsTests {

	private static final Duration USED = Duration.ofSeconds(63);

	private static final Duration RESTED = Duration.ofSeconds(60);

	/** A moment such as a monotonic clock may tell. */
	private static final long START = Long.MAX_VALUE - Duration.ofSeconds(10).toNanos();

	private final ClockSteps steps = new ClockSteps();

	@Test
	void lifeWhenTheClockWasNotSetIsThatOfAKeyAtRest() {
		assertLife(0, 60);
	}

	@Test
	void lifeWhenTheClockWasSetBackIsLongerByAsMuchUntilItHasPassed() {
		step(-20, 5);
		assertLife(5, 83);
		assertLife(27, 61);
		assertLife(28, 60);
		assertLife(100, 60);
	}

	@Test
	void lifeWhenTheClockWasSetBackAgainAddsUp() {
		step(-20, 0);
		step(-10, 4);
		assertLife(4, 89);
	}

	@Test
	void lifeWhenTheClockWasSetBackLongAfterIsThatOfTheLastStep() {
		step(-20, 0);
		step(-10, 50);
		assertLife(50, 73);
	}

	@Test
	void lifeWhenTheClockWasSetForwardAgainIsShorterByAsMuch() {
		step(-20, 0);
		step(15, 2);
		assertLife(2, 66);
		step(30, 2);
		assertLife(2, 60);
	}

	private void step(int seconds, int at) {
		this.steps.add(Duration.ofSeconds(seconds), at(at));
	}

	private void assertLife(int at, int seconds) {
		assertThat(this.steps.longestLife(USED, RESTED, at(at))).hasSeconds(seconds);
	}

	private static long at(int seconds) {
		return START + Duration.ofSeconds(seconds).toNanos();
	}

}
