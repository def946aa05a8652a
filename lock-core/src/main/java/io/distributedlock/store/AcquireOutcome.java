package io.distributedlock.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

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
	 * alone. For a fair request with a claim, {@code true} if it was in line already and
	 * is woken when its turn comes: it need not attempt while another one of its instance
	 * does
	 * @param row for a fair request with {@code next}, a number that is the same in all
	 * answers to requests of the instance as long as none of its attempts came too late
	 * for the entries of the others. Else zero
	 * @param ahead a fair request of the same instance whose turn it is, since the lock
	 * is free: the message to it may be lost, so it has to attempt now. Else {@code null}
	 */
	record Busy(String holder, Duration remaining, int index, boolean ended, boolean next, long row,
			@Nullable RequestId ahead) implements AcquireOutcome {

		/**
		 * The lock is busy, for a request that is not fair.
		 * @param holder the instance that holds the lock, or empty
		 * @param remaining the time until it is free if it is neither released nor
		 * renewed
		 * @param index the index of its key in the command
		 * @param ended {@code true} if the store has ended this request
		 * @param next {@code true} if the request need not attempt often
		 */
		public Busy(String holder, Duration remaining, int index, boolean ended, boolean next) {
			this(holder, remaining, index, ended, next, 0, null);
		}

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
