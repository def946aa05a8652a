package io.distributedlock.state;

/**
 * A holder, a kept lock or waiters that come before a request.
 *
 * @param holder the instance that holds the lock, or empty if none does
 * @param until the latest end of the obstacle, in milliseconds
 * @param leaves {@code true} if the request may keep reserved locks meanwhile: a holder
 * works and leaves, and admitted readers give way. A request that has only reserved the
 * lock waits itself
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
