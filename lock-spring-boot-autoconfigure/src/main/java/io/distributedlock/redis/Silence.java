package io.distributedlock.redis;

import java.time.Duration;

/**
 * For how long commands have been given up and none was answered.
 */
final class Silence {

	/** Longer than Sentinel takes to notice, and than a usual pause of a server. */
	private static final long LONGEST_NANOS = Duration.ofSeconds(3).toNanos();

	private volatile boolean silent;

	private volatile long since;

	/** There was an answer. */
	void end() {
		if (this.silent) {
			this.silent = false;
		}
	}

	/**
	 * A command was given up.
	 * @param now the time
	 * @return whether it has been like that for long
	 */
	boolean lastsTooLong(long now) {
		if (!this.silent) {
			this.since = now;
			this.silent = true;
		}
		return now - this.since >= LONGEST_NANOS;
	}

}
