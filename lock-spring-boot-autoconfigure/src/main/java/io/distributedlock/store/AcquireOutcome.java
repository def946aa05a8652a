package io.distributedlock.store;

import java.time.Duration;

/**
 * What a store answers to an attempt.
 *
 * @since 0.1.0
 */
public sealed interface AcquireOutcome {

	/**
	 * The request holds the lock.
	 *
	 * @param token the fencing token
	 */
	record Granted(long token) implements AcquireOutcome {
	}

	/**
	 * Another request holds the lock, or it is kept.
	 *
	 * @param holder the instance that holds it, or empty where nobody does any more
	 * @param remaining when it is free if it is neither released nor renewed
	 */
	record Busy(String holder, Duration remaining) implements AcquireOutcome {
	}

	/** The request has ended before and cannot hold the lock again. */
	record Refused() implements AcquireOutcome {

		/** The only value worth having. */
		public static final Refused INSTANCE = new Refused();

	}

}
