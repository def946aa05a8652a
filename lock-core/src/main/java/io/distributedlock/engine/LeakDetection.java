package io.distributedlock.engine;

/**
 * The share of acquisitions that are watched for a lease that is never closed. Those of
 * templates and guarded methods are not watched: these close their leases themselves.
 *
 * @since 0.1.0
 */
public enum LeakDetection {

	/** No acquisition. */
	DISABLED,

	/** The first 128 of a registry, and one in 128 of those that follow. */
	SAMPLED,

	/** Every acquisition. */
	ALL

}
