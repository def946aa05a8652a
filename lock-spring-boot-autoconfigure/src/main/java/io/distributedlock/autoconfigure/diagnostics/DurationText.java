package io.distributedlock.autoconfigure.diagnostics;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.springframework.boot.convert.DurationStyle;

/**
 * Durations as one would write them into a configuration file.
 */
public final class DurationText {

	private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS, ChronoUnit.MILLIS);

	/** Longer ones cannot be divided by a millisecond. */
	private static final Duration MOST = Duration.ofMillis(Long.MAX_VALUE);

	private DurationText() {
	}

	/**
	 * Write a duration in the largest unit that loses nothing.
	 * @param value the duration
	 * @return for example {@code 10s}
	 */
	public static String of(Duration value) {
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
