package io.distributedlock.annotation;

/**
 * Renewal of the lease of a guarded method while the method runs: on or off.
 *
 * @since 0.1.0
 */
public enum Renewal {

	/** Defer to the configuration, and to {@link #ON} where nothing is configured. */
	DEFAULT,

	/** Keep the lease alive while the method runs. */
	ON,

	/** The ttl is a hard limit: a method that runs longer loses its lock. */
	OFF

}
