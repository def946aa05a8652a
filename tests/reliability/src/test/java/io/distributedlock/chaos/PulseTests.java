package io.distributedlock.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that stood still is not blamed for that, and no other is excused by it. */
class PulseTests {

	private final List<String> standstills = new ArrayList<>();

	private long now;

	private final Pulse pulse = pulse();

	private Pulse pulse() {
		try {
			return new Pulse(() -> this.now, (begin, end) -> this.standstills.add(millis(begin) + "-" + millis(end)));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void pulseWhenRegularTellsNothing() throws IOException {
		beatAfter(50, 70, 499, 500, 50);
		assertThat(this.standstills).isEmpty();
	}

	@Test
	void pulseWhenLateTellsFromTheLastBeatOn() throws IOException {
		beatAfter(50, 501, 50, 3000, 50);
		assertThat(this.standstills).containsExactly("50-551", "601-3601");
	}

	private void beatAfter(long... pauses) throws IOException {
		for (long pause : pauses) {
			this.now += Duration.ofMillis(pause).toNanos();
			this.pulse.beat();
		}
	}

	private static long millis(long nanos) {
		return Duration.ofNanos(nanos).toMillis();
	}

}
