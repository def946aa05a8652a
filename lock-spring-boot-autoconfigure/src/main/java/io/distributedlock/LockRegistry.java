package io.distributedlock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The locks of the application. Thread-safe; one bean serves all.
 *
 * @since 0.1.0
 */
public interface LockRegistry {

	/**
	 * The lock for a key, owned by threads and re-entrant.
	 * @param key the key, not blank
	 * @return the lock; it costs nothing to get it again
	 */
	LeaseLock getLock(String key);

	/**
	 * The read lock and the write lock for a key, owned by threads and re-entrant.
	 * @param key the key, not blank
	 * @return the locks; it costs nothing to get them again
	 * @throws UnsupportedOperationException if this registry has exclusive locks only
	 */
	default LeaseReadWriteLock getReadWriteLock(String key) {
		throw new UnsupportedOperationException("This registry has no read locks");
	}

	/**
	 * Wait for a lock. The lease is not bound to a thread unless the request has an
	 * owner.
	 * @param request what to lock and how
	 * @return the lease, to be closed
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockStoreException if the store could not be asked
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws IllegalArgumentException if the request cannot work
	 */
	Lease acquire(LockRequest request);

	/**
	 * As {@link #acquire}, but empty instead of {@link LockNotAcquiredException}.
	 * @param request what to lock and how
	 * @return the lease, to be closed, or empty if the lock stayed taken
	 * @throws LockStoreException if the store could not be asked
	 * @throws LockInterruptedException if the thread was interrupted
	 */
	default Optional<Lease> tryAcquire(LockRequest request) {
		try {
			return Optional.of(acquire(request));
		}
		catch (LockNotAcquiredException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Ask for a lock without blocking. Cancelling the future of the stage abandons the
	 * request; nothing is left behind. Continuations run on the library's bounded
	 * callback executor, where they should not wait for other locks: it has four threads.
	 * @param request what to lock and how
	 * @return completes with the lease, or exceptionally as {@link #acquire} throws
	 */
	CompletionStage<Lease> acquireAsync(LockRequest request);

}
