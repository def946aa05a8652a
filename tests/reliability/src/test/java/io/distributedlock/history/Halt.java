package io.distributedlock.history;

/** Faults of one kind that hit the same process and lock, and may overlap. */
final class Halt {

	private int open;

	private long begin;

	private long end = Long.MIN_VALUE / 2;

	void begin(long t) {
		this.open++;
		this.begin = t;
	}

	void end(long t) {
		this.open--;
		this.end = t;
	}

	/** The time at which the last halt began. */
	long begin() {
		return this.begin;
	}

	/** Since when all is well, with a while to recover; never if it is not. */
	long overSince(long recovery) {
		return (this.open > 0) ? Long.MAX_VALUE : this.end + recovery;
	}

	/** Return whether a halt lasted at that time, or began later. */
	boolean touches(long t) {
		return this.open > 0 || this.end >= t;
	}

}
