package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long a caller is ready to wait, over all keys of its request.
 *
 * @param startedAt when the request was made
 * @param deadline when it ends; the same time for a caller that tries once
 * @param storeAnswered whether the store has answered for an earlier key of the request
 */
record WaitBudget(long startedAt, long deadline, boolean storeAnswered) {

	static WaitBudget starting(long now, @Nullable Duration wait) {
		return new WaitBudget(now, (wait == null) ? Waiter.FOREVER : now + LockTerms.saturatedNanos(wait), false);
	}

	static WaitBudget once(long now) {
		return new WaitBudget(now, now, false);
	}

	boolean isOnce() {
		return this.deadline == this.startedAt;
	}

	/**
	 * What is left for the next key.
	 * @param answered whether the store has answered for this one
	 */
	WaitBudget afterKey(boolean answered) {
		return new WaitBudget(this.startedAt, this.deadline, this.storeAnswered || answered);
	}

}
