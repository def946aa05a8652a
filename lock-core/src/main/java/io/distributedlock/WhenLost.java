package io.distributedlock;

/**
 * What happens when a lease is lost while its holder still runs.
 *
 * @since 0.1.0
 */
public enum WhenLost {

	/** Defer to the configuration, and to {@link #THROW} where nothing is configured. */
	DEFAULT,

	/** Throw {@link LockLostException} when the lease is closed. */
	THROW,

	/**
	 * Interrupt the owner thread at once and throw {@link LockLostException} when the
	 * lease is closed. The interrupt flag that the loss has set is cleared by then. A
	 * reactive body is cancelled at once, and its subscriber fails with
	 * {@link LockLostException}.
	 */
	INTERRUPT,

	/** Only report the loss: event and {@link Lease#onLost}. */
	IGNORE

}
