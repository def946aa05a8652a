package io.distributedlock.history;

/**
 * Tokens that a process got from the store together with a lock, so that its callers hand
 * the lock on among themselves for a moment. None of them asks the store.
 *
 * @param asked when the store was about to be asked
 * @param floor the highest token that had been given before that
 * @param first the token that the store has given; the next ones are for other callers
 * @param last the last of them
 */
record LocalTurn(long asked, long floor, long first, long last) {

	/** Tokens that the store has not given yet. */
	static LocalTurn asking(long t, long floor) {
		return new LocalTurn(t, floor, 0, 0);
	}

	LocalTurn granted(Event event) {
		return new LocalTurn(this.asked, this.floor, event.token(), event.val());
	}

	/** Return whether a caller may have got this token from the caller before it. */
	boolean has(long token) {
		return token > this.first && token <= this.last;
	}

}
