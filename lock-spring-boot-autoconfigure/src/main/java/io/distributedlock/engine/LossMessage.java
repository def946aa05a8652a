package io.distributedlock.engine;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;

/**
 * What the log says when a lock is lost: which one, why, and what may happen now.
 */
final class LossMessage {

	private LossMessage() {
	}

	static String of(Grant lost, LossReason reason) {
		String owner = (lost.owner() instanceof Thread thread) ? ", thread '" + thread.getName() + "'" : "";
		LockStoreException cause = lost.renewalFailure();
		String why = (cause != null) ? ". The last renewal failed: " + cause.getMessage() : "";
		return "Lock '%s' (token %d%s) was lost: %s%s. %s".formatted(LockKeys.describe(lost.keys()), lost.token(),
				owner, reason.description(), why, consequence(lost.mode()));
	}

	/** Only what excludes all others can be guarded by its token. */
	private static String consequence(LockMode mode) {
		return switch (mode) {
			case READ -> "A writer may run now, so that what is read may not belong together";
			case SEMAPHORE -> "One more than there are permits may run now";
			default -> "Another holder may run now: guard what the lock protects with the fencing token";
		};
	}

}
