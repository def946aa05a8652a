package io.distributedlock;

import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * Root of everything that this library throws on behalf of a lock.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	/**
	 * Create an exception without a cause.
	 * @param message what happened, to which lock, and the remedy
	 */
	public LockException(String message) {
		super(DisplayText.of(message).toString());
	}

	/**
	 * Create an exception with a cause.
	 * @param message what happened, to which lock, and the remedy
	 * @param cause what the store or the driver said
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(DisplayText.of(message).toString(), cause);
	}

}
