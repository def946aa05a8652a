package io.distributedlock;

import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

/** How failures at the end of a guarded body are told. */
final class Losses {

	private Losses() {
	}

	static void suppress(Throwable failure, @Nullable Throwable suppressed) {
		if (suppressed != null && suppressed != failure) {
			failure.addSuppressed(suppressed);
		}
	}

	/**
	 * The failure as seen by a caller whose body has completed.
	 * @param failure what the lease threw
	 * @return what to throw
	 */
	static RuntimeException afterBody(RuntimeException failure) {
		if (failure instanceof LockLostException lost && !lost.isBodyCompleted()) {
			LockLostException told = new LockLostException(lost.getKey(), lost.getReason(), true);
			told.initCause(lost);
			return told;
		}
		return failure;
	}

	static Throwable afterBody(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof RuntimeException known) ? afterBody(known) : cause;
	}

}
