package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.springframework.boot.convert.DurationStyle;

/**
 * Durations as one would write them into a configuration file.
 */
final class DurationText {

	private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS, ChronoUnit.MILLIS);

	/** Longer ones cannot be divided by a millisecond. */
	private static final Duration MOST = Duration.ofMillis(Long.MAX_VALUE);

	private DurationText() {
	}

	/** In the largest unit that loses nothing. */
	static String of(Duration value) {
		if (value.isZero()) {
			return "0";
		}
		if (value.compareTo(MOST) > 0 || value.compareTo(MOST.negated()) < 0) {
			return value.toString();
		}
		return UNITS.stream()
			.filter((unit) -> value.equals(Duration.of(value.dividedBy(unit.getDuration()), unit)))
			.findFirst()
			.map((unit) -> DurationStyle.SIMPLE.print(value, unit))
			.orElseGet(value::toString);
	}

}
