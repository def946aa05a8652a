package io.distributedlock.event;

/**
 * The source of a lock that was acquired.
 *
 * @since 0.1.0
 */
public enum AcquiredFrom {

	/** The store gave it to an attempt that found it free. */
	STORE,

	/** A holder of this instance handed it on, without the store. */
	THIS_INSTANCE,

	/** A release of another instance gave it to this one, which waited for it. */
	OTHER_INSTANCE

}
