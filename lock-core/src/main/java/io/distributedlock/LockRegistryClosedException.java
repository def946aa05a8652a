package io.distributedlock;

import io.distributedlock.text.DisplayText;

/**
 * The registry was closed, so it hands out no more locks. Callers see it as if the lock
 * were busy.
 *
 * @since 0.1.0
 */
public class LockRegistryClosedException extends LockNotAcquiredException {

	/**
	 * Create the exception.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key that was asked for
	 */
	public LockRegistryClosedException(String name, String key) {
		super(name, key,
				"Lock '%s' cannot be acquired: the registry is shutting down".formatted(DisplayText.lock(name, key)));
	}

}
