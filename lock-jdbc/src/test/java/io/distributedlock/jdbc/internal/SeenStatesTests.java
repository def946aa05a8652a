package io.distributedlock.jdbc.internal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Stored;
import io.distributedlock.state.StateLockStore.Swap;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Guesses of states and of the server's time. */
class SeenStatesTests {

	private final AtomicLong nanos = new AtomicLong();

	private final SeenStates states = new SeenStates(this.nanos::get);

	private Expected expect() {
		Expected expected = this.states.expect("a");
		assertThat(expected).isNotNull();
		return expected;
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	@Test
	void nothingIsExpectedBeforeTheFirstAnswer() {
		assertThat(this.states.expect("a")).isNull();
	}

	@Test
	void keyThatWasNeverSeenIsExpectedToHaveNoRow() {
		this.states.read("b", new Stored("text", 5_000_000));
		assertThat(expect()).isEqualTo(new Expected(null, 5_000_000, SeenStates.WITHIN));
	}

	@Test
	void timePassesAtMostAsFastAsHere() {
		this.states.read("a", new Stored("text", 5_000_000));
		pass(Duration.ofSeconds(10));
		assertThat(expect().micros()).isBetween(14_990_000L, 14_999_999L);
	}

	/** An answer was on its way for long: the earlier one gives the better bound. */
	@Test
	void lateAnswerDoesNotSetTheTimeBack() {
		this.states.read("a", new Stored("text", 5_000_000));
		pass(Duration.ofMillis(100));
		this.states.read("b", new Stored("other", 5_010_000));
		assertThat(expect().micros()).isGreaterThan(5_099_000);
	}

	/** Another lock has shown that the server's clock was set back. */
	@Test
	void timeIsNeverBeforeTheAnswerThatBroughtTheState() {
		this.states.read("a", new Stored("text", 5_000_000_000L));
		this.states.swapped("b", new Expected(null, 5_000_000_000L, SeenStates.WITHIN),
				Swap.refused(new Stored("other", 3_000_000_000L)), false);
		assertThat(expect()).isEqualTo(new Expected("text", 5_000_000_000L, SeenStates.WITHIN));
	}

	/** The clock of the server was set back: otherwise no guess would be right again. */
	@Test
	void timeFollowsAClockThatWasSetBack() {
		this.states.read("a", new Stored("text", 5_000_000_000L));
		this.states.swapped("a", expect(), Swap.refused(new Stored("text", 3_000_000_000L)), false);
		assertThat(expect()).isEqualTo(new Expected("text", 3_000_000_000L, SeenStates.WITHIN));
	}

	@Test
	void stateThatIsGoneIsForgotten() {
		this.states.read("a", new Stored("text", 5_000_000));
		this.states.read("a", new Stored(null, 5_000_001));
		assertThat(expect().text()).isNull();
	}

	/** Each guess was wrong where several instances took a lock in turns. */
	@Test
	void stateThatOthersChangeIsReadUnlessTheLockIsHeldHere() {
		this.states.read("a", new Stored("one", 5_000_000));
		this.states.swapped("a", expect(), Swap.refused(new Stored("of another", 5_000_001)), true);
		assertThat(this.states.expect("a")).isNull();
		Expected read = new Expected(new Stored("of another", 5_000_001));
		this.states.swapped("a", read, Swap.done(new Stored("held here", 5_000_002)), true);
		assertThat(expect().text()).isEqualTo("held here");
		this.states.swapped("a", expect(), Swap.done(new Stored("released here", 5_000_003)), false);
		assertThat(this.states.expect("a")).isNull();
		this.states.read("a", new Stored("released by another", 5_000_004));
		assertThat(this.states.expect("a")).isNull();
	}

	/** A renewal was sent alone, since the state had been looked at. */
	@Test
	void stateOfALockThatIsHeldHereIsExpectedAfterALookAtIt() {
		this.states.read("a", new Stored("one", 5_000_000));
		this.states.swapped("a", expect(), Swap.refused(new Stored("other", 5_000_001)), true);
		this.states.swapped("a", new Expected(new Stored("other", 5_000_001)),
				Swap.done(new Stored("held here", 5_000_002)), true);
		this.states.read("a", new Stored("held here", 5_000_003));
		this.states.read("a", new Stored("held here", 5_000_004));
		assertThat(expect().text()).isEqualTo("held here");
	}

	@Test
	void stateThatOthersChangeNoMoreIsExpected() {
		this.states.read("a", new Stored("one", 5_000_000));
		this.states.swapped("a", expect(), Swap.refused(new Stored("other", 5_000_001)), true);
		this.states.read("a", new Stored("other", 5_000_002));
		assertThat(expect().text()).isEqualTo("other");
	}

	/** A thousand locks with many waiters each filled the memory. */
	@Test
	void statesThatWereUsedLastAreKeptWithinASize() {
		String large = "x".repeat(100_000);
		for (int i = 0; i < 1_000; i++) {
			this.states.read(Integer.toString(i), new Stored(large, 5_000_000));
			this.states.read("a", new Stored("text", 5_000_000));
		}
		assertThat(IntStream.range(0, 1_000)
			.mapToObj((i) -> this.states.expect(Integer.toString(i)))
			.filter((expected) -> expected != null && expected.text() != null)).hasSizeBetween(10, 100);
		assertThat(expect().text()).isEqualTo("text");
	}

}
