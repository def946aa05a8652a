package io.distributedlock.history;

/** A fault from its begin to its end. */
final class FaultWindow {

	final NemesisKind kind;

	final Event begin;

	/** Without an end as long as it has not ended. */
	long end = Long.MAX_VALUE;

	FaultWindow(NemesisKind kind, Event begin) {
		this.kind = kind;
		this.begin = begin;
	}

	/** The process, or all of them. */
	String target() {
		return this.begin.thread();
	}

	boolean hits(String key) {
		return this.begin.key().equals(Event.ALL) || this.begin.key().equals(key);
	}

	/** Return whether it had begun and not ended at some moment of a time. */
	boolean overlaps(long from, long to) {
		return this.end >= from && this.begin.t() <= to;
	}

}
