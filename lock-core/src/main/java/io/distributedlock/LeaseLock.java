package io.distributedlock;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} across all instances of the application, owned by the thread that took
 * it, and re-entrant. Thread-safe and without state of its own: two objects of one
 * registry for the same name and keys are equal and are the same lock; a read lock equals
 * read locks only, and the lock of a semaphore those of semaphores.
 * <p>
 * Re-entering costs no round trip, keeps the fencing token, and can only lengthen the
 * lease. {@link #unlock()} throws {@link LockLostException} if the lease was lost, unless
 * its policy is {@link WhenLost#IGNORE}, and {@link IllegalMonitorStateException} if the
 * thread does not hold the lock.
 *
 * @since 0.1.0
 */
public interface LeaseLock extends Lock {

	/**
	 * The key.
	 * @return the key as the caller wrote it; of several, all of them in brackets
	 */
	String key();

	/**
	 * Wait for the lock as long as it takes, also through an outage of the store; not
	 * interruptible. {@link LockStoreException} ends the wait only if the store is
	 * misconfigured.
	 */
	@Override
	void lock();

	/**
	 * As {@link #lock()}, with a lease other than the configured one.
	 * @param ttl how long the lock outlives a holder that died
	 */
	void lock(Duration ttl);

	/**
	 * Try once to acquire the lock, without the configured wait; not interruptible.
	 * @return {@code true} if the lock was acquired
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 */
	@Override
	boolean tryLock();

	/**
	 * Wait for the lock within a total budget.
	 * @param wait the budget; zero and less try once
	 * @return {@code true} if the lock was acquired
	 * @throws InterruptedException if the thread was interrupted; the request is
	 * abandoned
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 */
	boolean tryLock(Duration wait) throws InterruptedException;

	/**
	 * As {@link #tryLock(Duration)}, with a lease other than the configured one.
	 * @param wait the budget; zero and less try once
	 * @param ttl how long the lock outlives a holder that died
	 * @return {@code true} if the lock was acquired
	 * @throws InterruptedException if the thread was interrupted; the request is
	 * abandoned
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 */
	boolean tryLock(Duration wait, Duration ttl) throws InterruptedException;

	/**
	 * The lease that the calling thread holds: the innermost one if it has entered
	 * several times.
	 * @return the lease
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	Lease lease();

	/**
	 * Return whether the calling thread holds the lock, by a local comparison.
	 * @return {@code true} if it is certainly held
	 */
	boolean isHeldByCurrentThread();

	/**
	 * Not supported: a condition cannot be waited for across instances.
	 * @return never
	 */
	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

}
