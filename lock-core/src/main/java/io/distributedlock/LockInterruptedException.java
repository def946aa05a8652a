package io.distributedlock;

import io.distributedlock.text.DisplayText;

/**
 * The thread was interrupted while it waited for a lock. The request is abandoned, and
 * the thread's interrupt flag is set again.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockException {

	/**
	 * Create the exception.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key that was waited for
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String name, String key, InterruptedException cause) {
		super("Interrupted while waiting for lock '%s'".formatted(DisplayText.lock(name, key)), cause);
	}

}
