package io.distributedlock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The locks of the application. Thread-safe; one bean serves all. Operators and
 * monitoring have {@link LockInspector} beside it.
 *
 * @since 0.1.0
 */
public interface LockRegistry {

	/**
	 * The {@linkplain #getLock(String, String) lock} for a key without a name.
	 * @param key the key, not blank
	 * @return the lock; it costs nothing to get it again
	 */
	default LeaseLock getLock(String key) {
		return getLock("", key);
	}

	/**
	 * The lock for a key in a namespace, owned by threads and re-entrant. It is the lock
	 * of requests and annotations of this name, or of those without a name, and the
	 * profile {@code distributed-lock.locks.<name>} counts for it as for those, but for
	 * its {@code wait}: the methods of a lock say themselves how long they wait.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the lock; it costs nothing to get it again
	 */
	LeaseLock getLock(String name, String key);

	/**
	 * The {@linkplain #getReadWriteLock(String, String) read lock and write lock} for a
	 * key without a name.
	 * @param key the key, not blank
	 * @return the locks; it costs nothing to get them again
	 */
	default LeaseReadWriteLock getReadWriteLock(String key) {
		return getReadWriteLock("", key);
	}

	/**
	 * The read lock and the write lock for a key, as {@link #getLock(String, String)}. A
	 * mode in the profile replaces those of both locks.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the locks; it costs nothing to get them again
	 * @throws UnsupportedOperationException if this registry has exclusive locks only
	 */
	default LeaseReadWriteLock getReadWriteLock(String name, String key) {
		throw new UnsupportedOperationException("This registry has no read locks");
	}

	/**
	 * Wait for a lock. The lease is not bound to a thread unless the request has an
	 * owner.
	 * @param request what to lock and how
	 * @return the lease, to be closed
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockStoreException if the store could not be asked
	 * @throws LockException if the answers of the store come on the calling thread
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws LockUpgradeException if the request's owner has the lock for reading only,
	 * and asks for another mode
	 * @throws LockLostException if the request's owner has the lock already, and its
	 * lease was lost while it was entered again
	 * @throws IllegalStateException if the request's owner has the lock already, and asks
	 * for a longer {@link LockRequest#keepFor keepFor} or enters it too often
	 * @throws IllegalArgumentException if the request cannot work
	 */
	Lease acquire(LockRequest request);

	/**
	 * Try once to acquire a lock, or for as long as the request itself
	 * {@linkplain LockRequest#waitFor says}: the {@code wait} of a profile and of the
	 * configuration does not count. Throws what {@link #acquire} throws, but for
	 * {@link LockNotAcquiredException}.
	 * @param request what to lock and how
	 * @return the lease, to be closed, or empty if the lock is taken
	 * @throws LockUpgradeException if the request's owner has the lock for reading only,
	 * and asks for another mode: that is not "busy", since waiting could never help
	 */
	Optional<Lease> tryAcquire(LockRequest request);

	/**
	 * Ask for a lock without blocking. Cancelling the future of the stage abandons the
	 * request; nothing is left behind.
	 * <p>
	 * A lease is delivered on one of four threads of the library's, on which its
	 * continuations run. They may wait for a {@linkplain Lease#release() release}, but
	 * should not block otherwise: use the {@code Async} methods of the stage with an
	 * executor of your own for that. A lease that finds no free thread until its budget
	 * has ended (without budget, the time-out of a command) and 100 ms more is given
	 * back, and the stage fails with a {@link LockException} that says so: the lock was
	 * neither busy nor the store away. What fails completes on other threads, those of
	 * {@link Lease#release()}.
	 * @param request what to lock and how
	 * @return completes with the lease, or exceptionally as {@link #acquire} throws or
	 * with the {@link LockException} of a lease that could not be delivered
	 */
	CompletionStage<Lease> acquireAsync(LockRequest request);

}
