package io.distributedlock;

import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * Root of all exceptions that this library throws on behalf of a lock.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	/**
	 * Create an exception without a cause.
	 * @param message the problem, the lock and the remedy
	 */
	public LockException(String message) {
		super(DisplayText.of(message).toString());
	}

	/**
	 * Create an exception with a cause.
	 * @param message the problem, the lock and the remedy
	 * @param cause the failure of the store or the driver
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(DisplayText.of(message).toString(), cause);
	}

}
