package io.distributedlock.jdbc.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The starts of the servers that have answered. A server that was started again, and a
 * replica that has become the primary, may have forgotten changes that the one before has
 * confirmed. Thread-safe.
 */
final class ServerStarts {

	private final Runnable onDoubt;

	private final Set<Long> known = ConcurrentHashMap.newKeySet();

	private volatile long last;

	/**
	 * Create starts, none of which is known yet.
	 * @param onDoubt called when answers of before may be forgotten; must not block
	 */
	ServerStarts(Runnable onDoubt) {
		this.onDoubt = onDoubt;
	}

	/**
	 * Note an answer.
	 * @param start the start of its server, which is never zero
	 */
	void answered(long start) {
		if (start != this.last && isNew(start)) {
			this.onDoubt.run();
		}
	}

	/** Return {@code true} for each start but the first one. */
	private synchronized boolean isNew(long start) {
		this.last = start;
		boolean isFirst = this.known.isEmpty();
		return this.known.add(start) && !isFirst;
	}

}
