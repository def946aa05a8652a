package io.distributedlock.engine.internal.time;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The changes of the wall clock that are jumps, and those that are not. */
class ClockWatchTests {

	private static final Duration PAUSE = Duration.ofMillis(7);

	/** More than a watch reads the two clocks in three readings. */
	private static final int READINGS = 12;

	/**
	 * How long the thread stands still before each reading of a clock that is to come.
	 */
	private final Deque<Duration> pauses = new ArrayDeque<>();

	/** In the middle of a millisecond of the wall clock. */
	private long nanos = 5_500_000;

	private long wallAhead = Duration.ofDays(20_000).toNanos();

	private int jumps;

	/** The work of other threads when this one has read the monotonic clock. */
	private Runnable meanwhile = () -> {
	};

	private final ClockWatch watch = new ClockWatch(() -> {
		pause();
		long read = this.nanos;
		Runnable others = this.meanwhile;
		this.meanwhile = () -> {
		};
		others.run();
		return read;
	}, () -> {
		pause();
		return (this.nanos + this.wallAhead) / 1_000_000;
	}, () -> this.jumps++, () -> {
	});

	private void pause() {
		if (!this.pauses.isEmpty()) {
			this.nanos += this.pauses.remove().toNanos();
		}
	}

	private void readAfter(Duration time) {
		this.nanos += time.toNanos();
		this.watch.nanos();
	}

	private void setAhead(Duration by) {
		this.wallAhead += by.toNanos();
	}

	/**
	 * On a busy machine a thread that was interrupted between the two clocks, and once
	 * more, took the next good reading for a jump. All leases had to be confirmed again.
	 */
	@Test
	void interruptionsBetweenTheClocksAreNoJump() {
		for (int pattern = 0; pattern < 1 << READINGS; pattern++) {
			for (int i = 0; i < READINGS; i++) {
				this.pauses.add((pattern >> i & 1) != 0 ? PAUSE : Duration.ZERO);
			}
			while (!this.pauses.isEmpty()) {
				readAfter(Duration.ofMillis(1));
			}
			readAfter(Duration.ofMillis(1));
			assertThat(this.jumps).as("Jumps after the interruptions %s", Integer.toBinaryString(pattern)).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 4, 1_000, 30_000_000_000L })
	void wallClockThatRunsAheadIsAJump(long millis) {
		readAfter(Duration.ofMillis(1));
		setAhead(Duration.ofMillis(millis));
		readAfter(Duration.ofMillis(1));
		assertThat(this.jumps).isOne();
		readAfter(Duration.ofMillis(1));
		assertThat(this.jumps).isOne();
	}

	@Test
	void jumpThatIsReadInAnInterruptionIsNoticedAtTheNextReading() {
		setAhead(PAUSE);
		this.pauses.add(Duration.ZERO);
		this.pauses.add(PAUSE);
		readAfter(Duration.ofMillis(1));
		readAfter(Duration.ofMillis(1));
		assertThat(this.jumps).isOne();
	}

	@Test
	void wallClockThatWasSetBackIsNoJumpAndHidesNoLaterOne() {
		setAhead(Duration.ofHours(-1));
		readAfter(Duration.ofMillis(1));
		assertNoJumpAndALaterOneIsSeen();
	}

	/** It may be the other way round: the clock was set, and then the thread went on. */
	@Test
	void wallClockThatWasSetBackInAnInterruptionHidesNoLaterJump() {
		setAhead(Duration.ofHours(-1));
		this.pauses.add(Duration.ZERO);
		this.pauses.add(PAUSE);
		this.pauses.add(PAUSE);
		this.pauses.add(PAUSE);
		readAfter(Duration.ofMillis(1));
		readAfter(Duration.ofMillis(1));
		assertNoJumpAndALaterOneIsSeen();
	}

	private void assertNoJumpAndALaterOneIsSeen() {
		assertThat(this.jumps).isZero();
		setAhead(PAUSE);
		readAfter(Duration.ofMillis(1));
		assertThat(this.jumps).isOne();
	}

	/** The look that noticed it was interrupted as well, and it was noticed once more. */
	@Test
	void jumpThatIsNoticedInInterruptionsIsOne() {
		setAhead(Duration.ofHours(1));
		for (int i = 0; i < READINGS; i++) {
			this.pauses.add(PAUSE);
		}
		readAfter(Duration.ofMillis(1));
		this.pauses.clear();
		readAfter(Duration.ofMillis(1));
		assertThat(this.jumps).isOne();
	}

	/** The slewing of the clock between the good readings looked like a jump. */
	@Test
	void wallClockThatIsSlewedWhileReadingsAreInterruptedIsNoJump() {
		for (int i = 0; i < 1_000; i++) {
			setAhead(Duration.ofNanos(50_000));
			this.pauses.add(Duration.ZERO);
			this.pauses.add(PAUSE);
			readAfter(Duration.ofMillis(92));
			readAfter(Duration.ofNanos(1_037_000));
		}
		assertThat(this.jumps).isZero();
	}

	/** A thread that had read the clocks before noticed the jump as of then. */
	@Test
	void doubtStaysWhenAThreadThatReadBeforeNoticesAJump() {
		setAhead(Duration.ofHours(1));
		AtomicLong distrusted = new AtomicLong();
		this.meanwhile = () -> {
			this.nanos += PAUSE.toNanos();
			this.watch.distrust();
			distrusted.set(this.nanos);
		};
		readAfter(Duration.ofMillis(1));
		assertThat(this.watch.doubts(distrusted.get())).isTrue();
	}

	@Test
	void wallClockThatIsSetBackAfterAThreadHasReadItIsNoJump() {
		this.meanwhile = () -> {
			setAhead(Duration.ofHours(-1));
			this.watch.nanos();
		};
		readAfter(Duration.ofMillis(1));
		assertThat(this.jumps).isZero();
	}

	@Test
	void readingThatNoticesAJumpIsNotInDoubt() {
		setAhead(Duration.ofHours(1));
		assertThat(this.watch.doubts(this.watch.nanos())).isFalse();
		assertThat(this.jumps).isOne();
	}

	/** A clock is slewed by half of the allowed amount. */
	@Test
	void wallClockThatIsSlewedIsNoJump() {
		for (int i = 0; i < 3_000; i++) {
			setAhead(Duration.ofNanos(50_000));
			readAfter(Duration.ofMillis(100));
		}
		for (int i = 0; i < 3_000; i++) {
			setAhead(Duration.ofNanos(-50_000));
			readAfter(Duration.ofMillis(100));
		}
		assertThat(this.jumps).isZero();
	}

}
