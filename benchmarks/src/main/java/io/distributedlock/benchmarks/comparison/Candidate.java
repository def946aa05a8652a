package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/**
 * The locks of one library in one process, on connections of its own.
 */
interface Candidate extends AutoCloseable {

	/** Return the lock of a key for the calling thread. */
	Lock lock(String key);

	/**
	 * Take a free lock and keep it.
	 * @param key the key
	 * @return the object that an application would keep
	 */
	default Object hold(String key) {
		Lock lock = lock(key);
		lock.lock();
		return lock;
	}

	/**
	 * Release a held lock, on the thread that took it.
	 * @param held the object that {@link #hold(String)} returned
	 */
	default void release(Object held) {
		((Lock) held).unlock();
	}

	/**
	 * Wait for a lock without a thread.
	 * @param key the key
	 * @return the acquisition, with an action that releases the lock
	 */
	default CompletionStage<Runnable> lockAsync(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	void close();

}
