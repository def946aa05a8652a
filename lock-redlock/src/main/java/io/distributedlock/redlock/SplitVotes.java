package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;

import io.distributedlock.store.LockKey;

/**
 * Back-off after split votes: attempts that failed because several contenders got some
 * nodes each. It is random, so that one contender comes first the next time. It grows
 * with each split vote in a row, until it is several times as long as an attempt takes:
 * with shorter ones, attempts on slow nodes would meet each other again and again.
 */
final class SplitVotes {

	private static final long SHORTEST_NANOS = 5_000_000;

	/**
	 * Longest back-off if it is certain that the lock has no holder, where attempts are
	 * fast.
	 */
	private static final long LONGEST_NANOS = 50_000_000;

	private static final long LONGEST_OF_SLOW_NANOS = 500_000_000;

	/** Number of attempts that have room in the longest back-off. */
	private static final int ATTEMPTS = 4;

	private static final int MOST_DOUBLINGS = 8;

	private static final int MOST_KEYS = 10_000;

	private final Map<List<LockKey>, Integer> inARow = new ConcurrentHashMap<>();

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	SplitVotes(LongUnaryOperator random) {
		this.random = random;
	}

	/**
	 * Return the longest back-off if it is certain that the lock has no holder.
	 * @param tookNanos how long the attempt took
	 */
	static Duration longest(long tookNanos) {
		return Duration.ofNanos(Math.max(LONGEST_NANOS, Math.min(ATTEMPTS * tookNanos, LONGEST_OF_SLOW_NANOS)));
	}

	/** Count a split vote, and return the back-off. */
	Duration next(List<LockKey> keys, Duration longest) {
		if (this.inARow.size() > MOST_KEYS) {
			// Contenders that gave up have left their counts behind.
			this.inARow.clear();
		}
		int count = this.inARow.merge(keys, 1, (before, one) -> Math.min(before + one, MOST_DOUBLINGS));
		long bound = Math.min(SHORTEST_NANOS << count, Math.max(longest.toNanos(), SHORTEST_NANOS + 1));
		return Duration.ofNanos(SHORTEST_NANOS + this.random.applyAsLong(bound - SHORTEST_NANOS));
	}

	/** Forget the count after a clear answer. */
	void settled(List<LockKey> keys) {
		if (!this.inARow.isEmpty()) {
			this.inARow.remove(keys);
		}
	}

}
