package io.distributedlock.engine.internal.line;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import io.distributedlock.LockMode;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The fair requests of this instance that wait for one lock, in the order in which they
 * came. They share two things. The attempt of any of them is a sign of life that renews
 * the waiter entries of all: the one that has attempted last attempts again when a sign
 * is due, and the others only if none comes. And when one of them releases the lock, the
 * first that waits attempts at once behind the release, which saves the way of a message
 * if it is next in the store as well. Thread-safe.
 *
 * @param <Q> the type of their queues, which are kept and not called
 */
final class FairSigns<Q> {

	/** The longest row of releases after which no request attempts at once. */
	private static final int MOST_PASSED = 63;

	/** Number of queues that share this. Guarded by the index. */
	int queues;

	private final ConcurrentSkipListMap<Long, Q> waiting = new ConcurrentSkipListMap<>();

	private volatile @Nullable Sign last;

	/** The number of the request that attempts behind a release, until its answer. */
	private long eager = -1;

	/** Number of releases to pass: more and more while other instances come first. */
	private int pass;

	private int passed;

	/**
	 * Return whether requests for these keys have signs in common: messages wake them.
	 */
	static boolean areGiven(LockMode mode, List<LockKey> keys, Instance instance) {
		return mode == LockMode.FAIR && keys.size() == 1 && instance.hasClaims;
	}

	/**
	 * Return the queue that has to attempt, since a release of this instance was sent;
	 * {@code null} for none.
	 */
	synchronized @Nullable Q takeTurn() {
		Map.Entry<Long, Q> first = this.waiting.firstEntry();
		if (first == null || this.passed++ < this.pass) {
			return null;
		}
		this.passed = 0;
		this.eager = first.getKey();
		return first.getValue();
	}

	private synchronized void answered(long number, boolean granted) {
		if (this.eager == number) {
			this.eager = -1;
			this.pass = granted ? 0 : Math.min(2 * this.pass + 1, MOST_PASSED);
		}
	}

	/**
	 * A sign of life.
	 *
	 * @param due the time when the next one is due
	 * @param row the number of its row: entries of another row are not in line any more
	 */
	record Sign(long due, long row) {
	}

	/** The place of one request among the others. */
	static final class Place<Q> {

		final FairSigns<Q> signs;

		private final long number;

		Place(FairSigns<Q> signs, long number, Q queue) {
			this.signs = signs;
			this.number = number;
			signs.waiting.put(number, queue);
		}

		@Nullable Sign lastSign() {
			return this.signs.last;
		}

		/** An attempt was answered with "busy". */
		void busy() {
			this.signs.answered(this.number, false);
		}

		/** An attempt was a sign of life for all requests of a row. */
		void sign(Sign given) {
			this.signs.last = given;
		}

		void granted() {
			this.signs.answered(this.number, true);
			leave();
		}

		void leave() {
			this.signs.waiting.remove(this.number);
		}

	}

}
