package io.distributedlock.state;

import java.time.Duration;

/**
 * How long something lasts. If the clock goes back, nothing lasts longer than it was
 * taken for.
 *
 * @param deadline its end, in milliseconds
 * @param longest the longest that it may last from any moment, in milliseconds
 */
record Lifetime(long deadline, long longest) {

	static final Lifetime NONE = new Lifetime(0, 0);

	/** More than three thousand years, which no arithmetic overflows. */
	private static final Duration LONGEST = Duration.ofDays(1_200_000);

	static Lifetime of(long millis, long now) {
		return (millis > 0) ? new Lifetime(now + millis, millis) : NONE;
	}

	/** The milliseconds of a duration; a duration above zero has at least one. */
	static long millis(Duration duration) {
		if (duration.isZero()) {
			return 0;
		}
		return (duration.compareTo(LONGEST) < 0) ? Math.max(1, duration.toMillis()) : LONGEST.toMillis();
	}

	long end(long now) {
		return Math.min(this.deadline, now + this.longest);
	}

	boolean lasts(long now) {
		return end(now) > now;
	}

	/** The same lifetime as the clock shows it now. */
	Lifetime at(long now) {
		return new Lifetime(end(now), this.longest);
	}

	/** At least so long from now on. */
	Lifetime lengthened(long millis, long now) {
		long end = Math.max(end(now), now + millis);
		return new Lifetime(end, end - now);
	}

}
