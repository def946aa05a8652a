package io.distributedlock.engine;

import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;

/**
 * Why a waiter got nothing. The exception is made by whoever throws it, so that its stack
 * trace is the caller's.
 */
@FunctionalInterface
interface Failure extends Supplier<RuntimeException> {

	/** Something unexpected, such as an owner that cannot be compared. */
	static Failure of(Throwable ex) {
		return () -> (ex instanceof RuntimeException known) ? known
				: new IllegalStateException("A lock could not be asked for: " + ex, ex);
	}

	/** The same failure with the stack trace of the caller that gets it. */
	static LockStoreException ofStore(LockStoreException failure) {
		Throwable cause = failure.getCause();
		return ofStore(failure, String.valueOf(failure.getMessage()), (cause != null) ? cause : failure);
	}

	/** A failure of the same type with another message. */
	static LockStoreException ofStore(LockStoreException failure, String message, Throwable cause) {
		return (failure instanceof ReplicasNotAcknowledgedException missing)
				? new ReplicasNotAcknowledgedException(missing.getWanted(), missing.getAcknowledged(), message, cause)
				: new LockStoreException(failure.getKind(), message, cause);
	}

}
