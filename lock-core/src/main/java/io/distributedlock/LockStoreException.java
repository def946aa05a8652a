package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The store was unavailable, or refused for a reason that waiting does not cure. Never
 * used for a lock that is merely busy.
 *
 * @since 0.1.0
 */
public class LockStoreException extends LockException {

	private final Kind kind;

	/**
	 * Create the exception.
	 * @param kind the kind of failure
	 * @param message the operation, its lock and the remedy
	 * @param cause the failure of the store or the driver
	 */
	public LockStoreException(Kind kind, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
	}

	/**
	 * The kind of failure: whether trying again may help.
	 * @return the kind of failure
	 */
	public Kind getKind() {
		return this.kind;
	}

	/** The kind of failure: whether trying again may help. */
	public enum Kind {

		/**
		 * No connection, no answer in time, or a server that is loading, failing over or
		 * out of memory. The store may have applied the command or not. Retried within
		 * the caller's budget.
		 */
		UNAVAILABLE,

		/**
		 * Missing permissions, a foreign value under the key, a key or a value that the
		 * store cannot keep, a wrong slot: reported at once. The command has given,
		 * extended and freed no lock, but an attempt may have left a waiter entry.
		 */
		MISCONFIGURED

	}

}
