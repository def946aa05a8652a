package io.distributedlock;

/**
 * The reaction of a guarded call to a store that cannot be asked for the lock.
 *
 * @since 0.1.0
 */
public enum WhenUnavailable {

	/** Defer to the configuration, and to {@link #THROW} if nothing is configured. */
	DEFAULT,

	/** Throw {@link LockStoreException}. */
	THROW,

	/** Return an empty result without running the body. */
	SKIP,

	/** Run the body without the lock. Logged, and published as an event. */
	PROCEED

}
