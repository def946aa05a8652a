package io.distributedlock;

/**
 * The reaction to the loss of a lease while its holder still runs.
 *
 * @since 0.1.0
 */
public enum WhenLost {

	/** Defer to the configuration, and to {@link #THROW} if nothing is configured. */
	DEFAULT,

	/** Throw {@link LockLostException} when the lease is closed. */
	THROW,

	/**
	 * Interrupt the owner thread at once and throw {@link LockLostException} when the
	 * lease is closed. By then, the interrupt flag that the loss has set is cleared. A
	 * reactive body is cancelled at once, and its subscriber fails with
	 * {@link LockLostException}.
	 */
	INTERRUPT,

	/** Only report the loss, by an event and {@link Lease#onLost}. */
	IGNORE

}
