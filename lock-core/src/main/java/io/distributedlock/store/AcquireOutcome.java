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
	 * @param token the fencing token; for several locks, larger than the last token of
	 * each; for a reader the last token, which it shares with others
	 * @param contended {@code true} if other instances wait to have an exclusive lock, as
	 * far as the store knows
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
	 * @param remaining the time until it is free if it is neither released nor renewed
	 * @param index the index of its key in the command
	 * @param ended {@code true} if the store has ended this request, so that the next
	 * attempt needs another one
	 * @param next {@code true} if the next release gives the lock to the
	 * {@linkplain AcquireCommand#claim() claim} of this request and notifies it, or wakes
	 * it if others come first. The request then need not attempt often. But only attempts
	 * reveal a dead waiter before it, so a store sets this for the first one in line
	 * alone
	 */
	record Busy(String holder, Duration remaining, int index, boolean ended, boolean next) implements AcquireOutcome {

		/**
		 * The lock is busy, and the request is not known to be the next one.
		 * @param holder the instance that holds the lock, or empty
		 * @param remaining the time until it is free if it is neither released nor
		 * renewed
		 * @param index the index of its key in the command
		 * @param ended {@code true} if the store has ended this request
		 */
		public Busy(String holder, Duration remaining, int index, boolean ended) {
			this(holder, remaining, index, ended, false);
		}

		/**
		 * The lock is busy, and the request may try again.
		 * @param holder the instance that holds the lock, or empty
		 * @param remaining the time until it is free if it is neither released nor
		 * renewed
		 * @param index the index of its key in the command
		 */
		public Busy(String holder, Duration remaining, int index) {
			this(holder, remaining, index, false);
		}

		/**
		 * The only lock is busy.
		 * @param holder the instance that holds it, or empty
		 * @param remaining the time until it is free if it is neither released nor
		 * renewed
		 */
		public Busy(String holder, Duration remaining) {
			this(holder, remaining, 0);
		}

	}

	/**
	 * The request has ended before and cannot hold the lock again. Or the store knows a
	 * later request of its contender, or another one with its number.
	 */
	record Refused() implements AcquireOutcome {

		/** The only instance that is needed. */
		public static final Refused INSTANCE = new Refused();

	}

}
