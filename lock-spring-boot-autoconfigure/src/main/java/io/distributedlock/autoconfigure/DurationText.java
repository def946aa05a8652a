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

	private DurationText() {
	}

	/** In the largest unit that loses nothing. */
	static String of(Duration value) {
		if (value.isZero()) {
			return "0";
		}
		return UNITS.stream()
			.filter((unit) -> value.equals(Duration.of(value.dividedBy(unit.getDuration()), unit)))
			.findFirst()
			.map((unit) -> DurationStyle.SIMPLE.print(value, unit))
			.orElseGet(value::toString);
	}

}
