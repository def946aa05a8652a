package io.distributedlock;

import io.distributedlock.text.DisplayText;

/**
 * The owner of a read lock asked for the same lock in a mode that excludes readers, and
 * would have waited for itself. Thrown at once. Release the read lock first, or take the
 * exclusive one from the start.
 *
 * @since 0.1.0
 */
public class LockUpgradeException extends LockException {

	/**
	 * Create an exception.
	 * @param name the namespace, maybe empty
	 * @param key the key
	 */
	public LockUpgradeException(String name, String key) {
		super("Lock '%s' is held for reading by its owner, who cannot take it for writing: it would wait for itself. "
			.formatted(DisplayText.lock(name, key))
				+ "Release the read lock first, or take the write lock from the start");
	}

}
