package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock of a library with another interface. Only the methods that are measured work.
 */
abstract class CallerLock implements Lock {

	@Override
	public final void lockInterruptibly() {
		throw new UnsupportedOperationException();
	}

	@Override
	public final boolean tryLock() {
		throw new UnsupportedOperationException();
	}

	@Override
	public final boolean tryLock(long time, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public final Condition newCondition() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Fail if the lock is busy. No workload lets two callers want a key of a library that
	 * cannot wait.
	 */
	static void requireTaken(boolean taken, String key) {
		if (!taken) {
			throw new IllegalStateException("The lock '" + key + "' is busy");
		}
	}

}
