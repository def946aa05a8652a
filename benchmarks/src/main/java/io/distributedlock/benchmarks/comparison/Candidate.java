package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/**
 * The locks of one library in one process, on connections of its own.
 */
interface Candidate extends AutoCloseable {

	/** The lock of a key, as the calling thread uses it. */
	Lock lock(String key);

	/**
	 * Take a free lock and keep it.
	 * @param key the key
	 * @return what an application would keep of it
	 */
	default Object hold(String key) {
		Lock lock = lock(key);
		lock.lock();
		return lock;
	}

	/**
	 * Release what is held, on the thread that took it.
	 * @param held what {@link #hold(String)} returned
	 */
	default void release(Object held) {
		((Lock) held).unlock();
	}

	/**
	 * Wait for a lock without a thread.
	 * @param key the key
	 * @return what releases the lock
	 */
	default CompletionStage<Runnable> lockAsync(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	void close();

}
