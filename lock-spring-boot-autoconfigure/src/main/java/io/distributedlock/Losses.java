package io.distributedlock;

import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

/** How failures at the end of a guarded body are told. */
final class Losses {

	private Losses() {
	}

	static void suppress(Throwable failure, @Nullable Throwable suppressed) {
		if (suppressed != null && suppressed != failure) {
			failure.addSuppressed(told(suppressed, false));
		}
	}

	/**
	 * The failure as seen by the caller of a body.
	 * @param failure what the lease threw
	 * @param bodyCompleted whether the body had completed
	 * @return what to throw
	 */
	static RuntimeException told(RuntimeException failure, boolean bodyCompleted) {
		if (failure instanceof LockLostException lost && lost.isBodyCompleted() != bodyCompleted) {
			return new LockLostException(lost.getName(), lost.getKey(), lost.getReason(), bodyCompleted,
					lost.getCause());
		}
		return failure;
	}

	static Throwable told(Throwable failure, boolean bodyCompleted) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof RuntimeException known) ? told(known, bodyCompleted) : cause;
	}

}
