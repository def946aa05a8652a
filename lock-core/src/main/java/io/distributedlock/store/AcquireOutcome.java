package io.distributedlock.store;

import java.time.Duration;

/**
 * The answer of a store to an attempt.
 *
 * @since 0.1.0
 */
public sealed interface AcquireOutcome {

	/**
	 * The request holds the lock, or all of the locks.
	 *
	 * @param token the fencing token; of several locks larger than the last one of each;
	 * of a reader the last one, which it shares with others
	 * @param contended whether other instances wait to have an exclusive lock, as far as
	 * the store knows
	 */
	record Granted(long token, boolean contended) implements AcquireOutcome {

		/**
		 * No other instance is known to wait.
		 * @param token the fencing token
		 */
		public Granted(long token) {
			this(token, false);
		}

	}

	/**
	 * Another request holds the lock, or the lock is kept, or other waiters come first.
	 *
	 * @param holder the instance that holds it, or empty if none does any more
	 * @param remaining when it is free if it is neither released nor renewed
	 * @param index which of the command's keys it is
	 * @param ended whether the store has ended this request, so that the next attempt
	 * needs another one
	 * @param next whether the next release gives the lock to the
	 * {@linkplain AcquireCommand#claim() claim} of this request, and tells it so, or
	 * wakes it if others come first. Then it need not attempt often; it learns of a dead
	 * waiter before it by its attempts only, so a store says so to the first one in line
	 * alone
	 */
	record Busy(String holder, Duration remaining, int index, boolean ended, boolean next) implements AcquireOutcome {

		/**
		 * The request has to attempt to get the lock.
		 * @param holder the instance that holds the lock, or empty
		 * @param remaining when it is free if it is neither released nor renewed
		 * @param index which of the command's keys it is
		 * @param ended whether the store has ended this request
		 */
		public Busy(String holder, Duration remaining, int index, boolean ended) {
			this(holder, remaining, index, ended, false);
		}

		/**
		 * The request may try again.
		 * @param holder the instance that holds the lock, or empty
		 * @param remaining when it is free if it is neither released nor renewed
		 * @param index which of the command's keys it is
		 */
		public Busy(String holder, Duration remaining, int index) {
			this(holder, remaining, index, false);
		}

		/**
		 * The only lock is busy.
		 * @param holder the instance that holds it, or empty
		 * @param remaining when it is free if it is neither released nor renewed
		 */
		public Busy(String holder, Duration remaining) {
			this(holder, remaining, 0);
		}

	}

	/**
	 * The request has ended before and cannot hold the lock again, or the store knows a
	 * later request of its contender or another one with its number.
	 */
	record Refused() implements AcquireOutcome {

		/** The only value worth having. */
		public static final Refused INSTANCE = new Refused();

	}

}
