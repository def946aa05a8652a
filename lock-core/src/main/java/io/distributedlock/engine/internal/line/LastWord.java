package io.distributedlock.engine.internal.line;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The last that was heard of the store about a lock. It tells a waiter who gets nothing
 * whether the lock was busy or the store failed, and outlasts the requests of others.
 * Guarded by the queue.
 */
final class LastWord {

	/** Time of the last useful answer. */
	private long answeredAt = Long.MIN_VALUE;

	/** The failure since the last answer to an attempt. */
	private @Nullable LockStoreException failure;

	/** An attempt was answered with the lock, or with "busy". */
	void answered(long now) {
		this.answeredAt = now;
		this.failure = null;
	}

	/** An attempt has failed, or the end of a grant was not confirmed. */
	void failed(LockStoreException failure) {
		this.failure = failure;
	}

	/** The end of a grant was confirmed, by which a failed attempt does not succeed. */
	void released(long now) {
		this.answeredAt = now;
	}

	boolean isAnsweredSince(long time) {
		return this.answeredAt >= time;
	}

	@Nullable LockStoreException failure() {
		return this.failure;
	}

}
