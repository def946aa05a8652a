package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;

import io.distributedlock.store.LockKey;

/**
 * Back-off after split votes: attempts that failed because several contenders got some
 * nodes each. It is random, so that one contender comes first the next time, and it grows
 * with each split vote in a row.
 */
final class SplitVotes {

	private static final long SHORTEST_NANOS = 5_000_000;

	/** Longest back-off if it is certain that the lock has no holder. */
	static final Duration LONGEST = Duration.ofMillis(50);

	private static final int MOST_DOUBLINGS = 8;

	private static final int MOST_KEYS = 10_000;

	private final Map<List<LockKey>, Integer> inARow = new ConcurrentHashMap<>();

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	SplitVotes(LongUnaryOperator random) {
		this.random = random;
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
