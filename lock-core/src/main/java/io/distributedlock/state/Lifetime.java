package io.distributedlock.state;

import java.time.Duration;

/**
 * The time for which a lease, a kept lock or a phase lasts. If the clock goes back, it
 * never lasts longer than its full length.
 *
 * @param deadline its end, in milliseconds
 * @param longest the most that may be left at any moment, in milliseconds
 */
record Lifetime(long deadline, long longest) {

	static final Lifetime NONE = new Lifetime(0, 0);

	/** A lifetime that begins with a later command. */
	static final Lifetime TO_BEGIN = new Lifetime(0, 1);

	/** More than 3,000 years; no sum with it overflows. */
	private static final Duration LONGEST = Duration.ofDays(1_200_000);

	/** A time that does not come, in milliseconds; no sum with it overflows. */
	static final long FOREVER = 2 * Duration.ofDays(1_200_000).toMillis();

	static Lifetime of(long millis, long now) {
		return (millis > 0) ? new Lifetime(now + millis, millis) : NONE;
	}

	/** Return the milliseconds of a duration, at least one for a duration above zero. */
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

	/** Return this lifetime, cut to its full length if the clock went back. */
	Lifetime at(long now) {
		return new Lifetime(end(now), this.longest);
	}

	/**
	 * Return this lifetime, lengthened to at least so many milliseconds from now.
	 * @param slack how many milliseconds later than it seems the present time may be
	 */
	Lifetime lengthened(long millis, long now, long slack) {
		long latest = now + slack;
		long end = end(latest);
		return new Lifetime(Math.max(end, latest + millis), Math.max(Math.min(end - now, this.longest), millis));
	}

}
