package io.distributedlock;

/**
 * The registry was closed, so it hands out no more locks. For whoever asks it is as if
 * the lock were busy.
 *
 * @since 0.1.0
 */
public class LockRegistryClosedException extends LockNotAcquiredException {

	/**
	 * Create the exception.
	 * @param key the key that was asked for
	 */
	public LockRegistryClosedException(String key) {
		super(key, "Lock '%s' cannot be acquired: the registry is shutting down".formatted(key));
	}

}
