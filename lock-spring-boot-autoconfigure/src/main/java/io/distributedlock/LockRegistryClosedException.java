package io.distributedlock;

/**
 * The registry was closed, so it hands out no more locks.
 *
 * @since 0.1.0
 */
public class LockRegistryClosedException extends LockException {

	/**
	 * Create the exception.
	 * @param key the key that was asked for
	 */
	public LockRegistryClosedException(String key) {
		super("Lock '%s' cannot be acquired: the registry is shutting down".formatted(key));
	}

}
