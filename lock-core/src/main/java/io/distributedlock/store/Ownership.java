package io.distributedlock.store;

/**
 * The answer of a store about a request that has had a lock; the worst answer first.
 *
 * @since 0.1.0
 */
public enum Ownership {

	/**
	 * The request does not have the lock, but not because its lease ran out. The lock was
	 * taken away from it, another process has it by the same request, or the store has
	 * lost its data of the request.
	 */
	LOST,

	/**
	 * The lease of the request has run out, or the request was abandoned: other requests
	 * may have the lock since then. Until then none had it.
	 */
	EXPIRED,

	/** The request has the lock, or no other request can have had it up to now. */
	HELD;

	/**
	 * Combine the answers for two locks of one request.
	 * @param other the answer for the other lock
	 * @return the worse one
	 */
	public Ownership and(Ownership other) {
		return (compareTo(other) < 0) ? this : other;
	}

}
