package io.distributedlock;

import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

/** Failures at the end of a guarded body, as they are reported to its caller. */
final class Losses {

	private Losses() {
	}

	static void suppress(Throwable failure, @Nullable Throwable suppressed) {
		if (suppressed != null && suppressed != failure && !isSameLoss(failure, suppressed)) {
			failure.addSuppressed(reported(suppressed, false));
		}
	}

	/** Return whether both tell of one lock, as a refused commit and the end after it. */
	private static boolean isSameLoss(Throwable failure, Throwable other) {
		return failure instanceof LockLostException lost && other instanceof LockLostException again
				&& lost.getName().equals(again.getName()) && lost.getKey().equals(again.getKey());
	}

	static RuntimeException reported(RuntimeException failure, boolean bodyCompleted) {
		if (failure instanceof LockLostException lost && lost.isBodyCompleted() != bodyCompleted) {
			return new LockLostException(lost.getName(), lost.getKey(), lost.getReason(), bodyCompleted,
					lost.getCause());
		}
		return failure;
	}

	static Throwable reported(Throwable failure, boolean bodyCompleted) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof RuntimeException known) ? reported(known, bodyCompleted) : cause;
	}

}
