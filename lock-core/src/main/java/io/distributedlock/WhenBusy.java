package io.distributedlock;

/**
 * The reaction of a guarded call to a lock that stayed taken for the whole wait budget.
 *
 * @since 0.1.0
 */
public enum WhenBusy {

	/** Defer to the configuration, and to {@link #THROW} if nothing is configured. */
	DEFAULT,

	/** Throw {@link LockNotAcquiredException}. */
	THROW,

	/**
	 * Return an empty result without running the body. Only if the result can be empty:
	 * {@code void}, {@code Optional}, a value that is declared nullable, a future of one
	 * of them, or a reactive sequence.
	 */
	SKIP,

	/** Call the fallback method instead of the body. */
	FALLBACK

}
