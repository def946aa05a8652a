package io.distributedlock.engine;

import java.util.function.Supplier;

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

}
