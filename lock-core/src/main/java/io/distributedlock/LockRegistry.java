package io.distributedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The locks of the application. Thread-safe; one bean serves all. Operators and
 * monitoring use {@link LockInspector}.
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
	 * The lock for a key in a namespace, owned by threads and re-entrant. Requests and
	 * annotations with the same name and key use the same lock. The profile
	 * {@code distributed-lock.locks.<name>} applies to it as well, but not its
	 * {@code wait}: each method of the lock defines its own wait.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the lock; it costs nothing to get it again
	 */
	LeaseLock getLock(String name, String key);

	/**
	 * The lock for a request, owned by threads and re-entrant: with its mode, several
	 * keys, renewal or limits. {@link LeaseLock#lock(Duration)} and the like replace its
	 * {@code ttl}.
	 * @param request the request, without an {@linkplain LockRequest#ownedBy owner} and
	 * without a {@linkplain LockRequest#waitFor wait}: each method of the lock defines
	 * its own
	 * @return the lock
	 * @throws IllegalArgumentException if the request has an owner or a wait
	 * @throws UnsupportedOperationException if this registry has no such locks
	 */
	default LeaseLock getLock(LockRequest request) {
		throw new UnsupportedOperationException("This registry has no locks for requests");
	}

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
	 * mode in the profile replaces the modes of both locks.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the locks; it costs nothing to get them again
	 * @throws UnsupportedOperationException if this registry has exclusive locks only
	 */
	default LeaseReadWriteLock getReadWriteLock(String name, String key) {
		throw new UnsupportedOperationException("This registry has no read locks");
	}

	/**
	 * Resolve the options of a request, as its lock is acquired here: with those of the
	 * configuration.
	 * @param request the request
	 * @return options in which only {@code maxHold} may be {@code null}; of a registry
	 * that does not tell its configuration those without one
	 * @throws IllegalArgumentException if the result cannot work
	 */
	default LockOptions resolve(LockRequest request) {
		return LockProfiles.DEFAULTS.resolve(request.name(), request.options());
	}

	/**
	 * Wait for a lock. The lease is not bound to a thread unless the request has an
	 * owner.
	 * @param request the request
	 * @return the lease, to be closed
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockStoreException if the store is unavailable or misconfigured
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
	 * Try once to acquire a lock, or wait as long as the request itself
	 * {@linkplain LockRequest#waitFor says}. The {@code wait} of a profile and of the
	 * configuration does not count. Throws the exceptions of {@link #acquire}, but not
	 * {@link LockNotAcquiredException}.
	 * @param request the request
	 * @return the lease, to be closed, or empty if the lock is taken
	 * @throws LockUpgradeException if the request's owner has the lock for reading only,
	 * and asks for another mode: that is not "busy", since waiting could never help
	 */
	Optional<Lease> tryAcquire(LockRequest request);

	/**
	 * Ask for a lock without blocking. Cancelling the future of the stage abandons the
	 * request; no lock and no waiter entry is left behind.
	 * <p>
	 * A lease is delivered on one of the library's callback threads: four, or up to 256
	 * while continuations block. Continuations run on that thread. They may wait for a
	 * {@linkplain Lease#release() release}, but should not block otherwise: use the
	 * {@code Async} methods of the stage with an executor of your own for that. If no
	 * thread is free until 100 ms after the end of the budget, the lease is released.
	 * Without a budget, the time-out of a command counts instead. The stage then fails
	 * with a {@link LockException} that names this cause: the lock was not busy, and the
	 * store was available. Failures complete on other threads, those of
	 * {@link Lease#release()}.
	 * @param request the request
	 * @return completes with the lease, or exceptionally with an exception of
	 * {@link #acquire} or with the {@link LockException} of a lease that could not be
	 * delivered
	 */
	CompletionStage<Lease> acquireAsync(LockRequest request);

	/**
	 * Set how many permits a semaphore has, for all requests in all instances: the number
	 * counts before theirs, and stays until it is set again, or the store loses the lock.
	 * With a larger number waiters come in at once. With a smaller one nothing is taken
	 * away: others wait until enough permits are free. Blocks for a command; may be
	 * repeated.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @param permits the number, between 1 and {@link LockOptions#MAX_PERMITS}, or 0 to
	 * let that of the requests count again
	 * @throws InvalidSettingException if the number cannot work
	 * @throws LockStoreException if the lock is in use and no semaphore, if the store
	 * keeps no such number, or if it did not answer in time
	 * @throws LockException if the answers of the store come on the calling thread
	 * @throws UnsupportedOperationException if this registry cannot do that
	 */
	default void setPermits(String name, String key, int permits) {
		throw new UnsupportedOperationException("This registry cannot set the number of permits");
	}

	/**
	 * Lengthen the lease of another holder, maybe in another process, to at least a time
	 * from now on; shorten none. The holder does not learn of it, and its own renewals go
	 * on. Blocks for a command; may be repeated.
	 * @param handle the {@linkplain Lease#handle() handle} of its lease
	 * @param ttl the lease from now on
	 * @return {@code true} if all keys are held for that time; {@code false} if the
	 * request of the handle holds one of them no longer, and the others may be extended
	 * @throws InvalidSettingException if the ttl cannot work
	 * @throws LockStoreException if the store did not answer in time, or refused
	 * @throws LockException if the answers of the store come on the calling thread
	 * @throws UnsupportedOperationException if this registry has no handles
	 */
	default boolean extend(LeaseHandle handle, Duration ttl) {
		throw new UnsupportedOperationException("This registry has no handles of leases");
	}

	/**
	 * Release the lock of another holder, maybe in another process, as that would. If it
	 * still works, it loses its lease. Blocks for a command; may be repeated.
	 * @param handle the {@linkplain Lease#handle() handle} of its lease
	 * @return {@code true} if no other request can have had the locks up to now, or the
	 * request of the handle has released them before; {@code false} if it had lost one of
	 * them, or its instance has taken one again since, which changes nothing there
	 * @throws LockStoreException if the store did not answer in time, or refused; the
	 * lock is free after the ttl at the latest
	 * @throws LockException if the answers of the store come on the calling thread
	 * @throws UnsupportedOperationException if this registry has no handles
	 */
	default boolean release(LeaseHandle handle) {
		throw new UnsupportedOperationException("This registry has no handles of leases");
	}

}
