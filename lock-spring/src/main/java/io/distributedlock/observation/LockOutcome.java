package io.distributedlock.observation;

import java.util.concurrent.CancellationException;

import io.distributedlock.LockException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/** The words for the ends of waits and holds, and the errors that are told of them. */
final class LockOutcome {

	static final String ACQUIRED = "acquired";

	static final String REENTERED = "reentered";

	static final String RELEASED = "released";

	static final String UNCONFIRMED = "unconfirmed";

	static final String LOST = "lost";

	private LockOutcome() {
	}

	/** Return the outcome of a wait that has ended without a lock. */
	static String of(Throwable reason) {
		if (reason instanceof LockStoreException failure) {
			return (failure.getKind() == LockStoreException.Kind.MISCONFIGURED) ? "misconfigured" : "unavailable";
		}
		return (reason instanceof LockRegistryClosedException) ? "closed"
				: (reason instanceof LockNotAcquiredException) ? "busy"
						: (reason instanceof InterruptedException || reason instanceof LockInterruptedException)
								? "interrupted" : (reason instanceof CancellationException) ? "cancelled"
										: (reason instanceof LockLostException) ? LOST : "failed";
	}

	/**
	 * Return the error of a wait without a lock, or {@code null}: a busy lock and a
	 * cancellation are no errors.
	 */
	static @Nullable Throwable error(Throwable reason) {
		return (reason instanceof LockNotAcquiredException || reason instanceof CancellationException) ? null : reason;
	}

	/**
	 * Copy an error without the text, which may name keys, maybe those of other locks.
	 */
	static Throwable withoutText(Throwable error, String name) {
		Throwable told = (error instanceof LockStoreException failure)
				? new LockStoreException(failure.getKind(), "The store failed: " + failure.getKind(), null)
				: (error instanceof LockLostException lost) ? new LockLostException(name, "…", lost.getReason(), false)
						: (error instanceof InterruptedException) ? new InterruptedException()
								: new LockException(error.getClass().getName());
		told.setStackTrace(error.getStackTrace());
		return told;
	}

}
