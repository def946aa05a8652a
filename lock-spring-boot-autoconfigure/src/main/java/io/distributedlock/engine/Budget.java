package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long a caller is ready to wait, over all keys of its request.
 *
 * @param startedAt when the request was made
 * @param deadline when it ends; the same time for a caller that tries once
 */
record Budget(long startedAt, long deadline) {

	static Budget starting(long now, @Nullable Duration wait) {
		return new Budget(now, (wait == null) ? Waiter.FOREVER : now + Terms.saturatedNanos(wait));
	}

	boolean isOnce() {
		return this.deadline == this.startedAt;
	}

}
