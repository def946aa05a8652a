package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be asked, or refused for a reason that waiting does not cure. Never
 * used for a lock that is merely busy.
 *
 * @since 0.1.0
 */
public class LockStoreException extends LockException {

	private final Kind kind;

	/**
	 * Create the exception.
	 * @param kind whether trying again may help
	 * @param message what was attempted, on what, and the remedy
	 * @param cause what the store or the driver said
	 */
	public LockStoreException(Kind kind, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
	}

	/**
	 * Whether trying again may help.
	 * @return the kind of failure
	 */
	public Kind getKind() {
		return this.kind;
	}

	/** Whether trying again may help. */
	public enum Kind {

		/**
		 * No connection, no answer in time, or a server that is loading, failing over or
		 * out of memory. Whether the command was applied is unknown. Retried within the
		 * caller's budget.
		 */
		UNAVAILABLE,

		/**
		 * Permissions, a foreign value under the key, a wrong slot: reported at once.
		 */
		MISCONFIGURED

	}

}
