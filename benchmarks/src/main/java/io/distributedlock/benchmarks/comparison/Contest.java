package io.distributedlock.benchmarks.comparison;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that want one lock. Each runs an action that is wrong for two threads at a
 * time.
 *
 * @param start the start of all threads, in nanoseconds of the monotonic clock
 * @param millis the length of the contest
 * @param critical the action of each thread that has the lock
 */
record Contest(long start, long millis, Runnable critical) {

	/** Number of errors after which a thread gives up. */
	private static final int ERRORS = 20;

	/** Create a contest that starts in 20 ms, when all threads are ready. */
	static Contest soon(long millis, Runnable critical) {
		return new Contest(System.nanoTime() + 20_000_000, millis, critical);
	}

	Outcome run(List<Lock> locks) throws Exception {
		List<Future<Outcome>> outcomes = new ArrayList<>();
		for (Lock lock : locks) {
			outcomes.add(Threads.callers().submit(() -> run(lock)));
		}
		List<Outcome> all = new ArrayList<>();
		for (Future<Outcome> outcome : outcomes) {
			all.add(outcome.get());
		}
		return Outcome.of(all);
	}

	private Outcome run(Lock lock) {
		long end = this.start + this.millis * 1_000_000;
		long inTime = 0;
		long pairs = 0;
		long longestWait = 0;
		int errors = 0;
		LockSupport.parkNanos(this.start - System.nanoTime());
		for (long asked = System.nanoTime(); asked < end && errors < ERRORS; asked = System.nanoTime()) {
			try {
				lock.lock();
				long now = System.nanoTime();
				longestWait = Math.max(longestWait, now - asked);
				pairs++;
				inTime += (now < end) ? 1 : 0;
				try {
					this.critical.run();
				}
				finally {
					lock.unlock();
				}
			}
			catch (RuntimeException ex) {
				errors++;
			}
		}
		return new Outcome(new long[] { inTime }, pairs, longestWait, errors);
	}

	/**
	 * The result of a contest.
	 *
	 * @param inTime the pairs of each participant before the end
	 * @param pairs all pairs, with those that got the lock after the end
	 * @param longestWait the longest wait in nanoseconds
	 * @param errors the number of calls that failed
	 */
	record Outcome(long[] inTime, long pairs, long longestWait, int errors) {

		static Outcome of(List<Outcome> all) {
			return new Outcome(all.stream().flatMapToLong((one) -> Arrays.stream(one.inTime)).toArray(),
					all.stream().mapToLong(Outcome::pairs).sum(),
					all.stream().mapToLong(Outcome::longestWait).max().orElse(0),
					all.stream().mapToInt(Outcome::errors).sum());
		}

		/** Return the result with all participants as one. */
		Outcome asOne() {
			return new Outcome(new long[] { total() }, this.pairs, this.longestWait, this.errors);
		}

		long total() {
			return Arrays.stream(this.inTime).sum();
		}

		/** Return the Jain index: 1 if all have as many pairs, 1/n if one has all. */
		double fairness() {
			double squares = Arrays.stream(this.inTime).mapToDouble((one) -> (double) one * one).sum();
			return (squares == 0) ? 0 : (double) total() * total() / (this.inTime.length * squares);
		}

		/** Return a row of a table, see {@link HotKey}. */
		double[] figures(long millis, long counted) {
			return new double[] { total() * 1e3 / millis, fairness(), this.longestWait / 1e6, this.pairs - counted,
					this.errors };
		}

	}

}
