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
	 * @param next {@code true} if the request is certainly notified, and so need not
	 * attempt often; always {@code false} for a store that cannot know whether its
	 * messages arrive.
	 * <table>
	 * <caption>When it is true</caption>
	 * <tr>
	 * <th>mode</th>
	 * <th>true if</th>
	 * <th>then</th>
	 * </tr>
	 * <tr>
	 * <td>exclusive</td>
	 * <td>the entry is the first one in line and has a {@linkplain AcquireCommand#claim()
	 * claim}: only attempts of those behind reveal that it is dead</td>
	 * <td>the next release gives it the lock, or wakes it if others come first</td>
	 * </tr>
	 * <tr>
	 * <td>fair</td>
	 * <td>it has a claim and was in line already</td>
	 * <td>it is woken when its turn comes, and need not attempt while another one of its
	 * instance does</td>
	 * </tr>
	 * <tr>
	 * <td>read, semaphore</td>
	 * <td>never</td>
	 * <td></td>
	 * </tr>
	 * </table>
	 * @param row for a fair request with {@code next}, the number of the unbroken row of
	 * attempts by its instance. Another number says that an attempt came too late, so
	 * that entries of the instance have ended. Else zero, and always zero for a store
	 * that never answers {@code next}
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
