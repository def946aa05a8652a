package io.distributedlock.store;

/**
 * Answer of a store about a request that has had a lock, the worst first.
 *
 * @since 0.1.0
 */
public enum Ownership {

	/**
	 * The request does not have the lock, and not because its lease ran out: the lock was
	 * taken away from it, another process has it by the same request, or the store does
	 * not know the request, as when its data is lost.
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
	 * What holds for two locks of one request together.
	 * @param other what the store says of the other lock
	 * @return the worse one
	 */
	public Ownership and(Ownership other) {
		return (compareTo(other) < 0) ? this : other;
	}

}
