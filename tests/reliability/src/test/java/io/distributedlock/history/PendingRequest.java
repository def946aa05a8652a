package io.distributedlock.history;

/**
 * A request without answer.
 *
 * @param invoked its call
 * @param floor the highest token that had been given before
 * @param floorGrant the acquisition of that token, or {@code null}
 */
record PendingRequest(Event invoked, long floor, Event floorGrant) {

	/**
	 * Marks one of several locks that are acquired one after the other, and released if
	 * one is busy.
	 */
	static final String DIVIDED = "divided";

	/** Marks a lock of several that are taken together, or not at all if one is busy. */
	static final String TOGETHER = "together";

	/** Return whether it may have to wait although this lock is free. */
	boolean isOneOfSeveral() {
		return isDivided() || this.invoked.outcome().equals(TOGETHER);
	}

	boolean isDivided() {
		return this.invoked.outcome().equals(DIVIDED);
	}

}
