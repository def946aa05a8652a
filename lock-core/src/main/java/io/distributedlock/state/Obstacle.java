package io.distributedlock.state;

/**
 * A holder, a kept lock or waiters that come before a request.
 *
 * @param holder the instance that holds the lock, or empty if none does
 * @param until the latest end of the obstacle, in milliseconds
 * @param leaves {@code true} if it ends without a lock that the request may have
 * reserved: holders wait for later locks only, and admitted readers give way
 */
record Obstacle(String holder, long until, boolean leaves) {

	/** Create an obstacle that is a holder. */
	Obstacle(Register holder, long until) {
		this(holder.request().instance(), until, true);
	}

	/** Create an obstacle without a holder, for which no lock stays reserved. */
	Obstacle(long until) {
		this("", until, false);
	}

}
