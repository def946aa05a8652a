package io.distributedlock.migration;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Durations as the attributes of {@code @DistributedLock} have them. */
final class Durations {

	private static final Map<String, String> SUFFIXES = Map.of("NANOSECONDS", "ns", "MICROSECONDS", "us",
			"MILLISECONDS", "ms", "SECONDS", "s", "MINUTES", "m", "HOURS", "h", "DAYS", "d");

	private Durations() {
	}

	/**
	 * Return a number of milliseconds, in seconds or minutes where it is a multiple.
	 */
	static String ofMillis(long millis) {
		return (millis % 1000 != 0) ? millis + "ms" : ofSeconds(millis / 1000);
	}

	static String ofSeconds(long seconds) {
		if (seconds == 0) {
			return "0";
		}
		return (seconds % 60 != 0) ? seconds + "s" : seconds / 60 + "m";
	}

	/**
	 * Return the suffix of a unit.
	 * @param unit the name of a constant of {@code TimeUnit}
	 * @return the suffix, or {@code null} for any other name
	 */
	static @Nullable String suffix(String unit) {
		return SUFFIXES.get(unit);
	}

}
