package io.distributedlock;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} across all instances of the application, owned by the thread that took
 * it, and re-entrant. Thread-safe and without state of its own: two objects of one
 * registry for one name and key are the same lock and equal, but a read lock is none of
 * the others.
 * <p>
 * Re-entering costs no round trip, keeps the fencing token, and can only lengthen the
 * lease. {@link #unlock()} of a lost lease throws {@link LockLostException}, and
 * {@link IllegalMonitorStateException} if the thread does not hold the lock.
 *
 * @since 0.1.0
 */
public interface LeaseLock extends Lock {

	/**
	 * The key.
	 * @return the key as the caller wrote it
	 */
	String key();

	/**
	 * Wait for the lock as long as it takes, also through an outage of the store; not
	 * interruptible. Only a misconfigured store ends the wait with
	 * {@link LockStoreException}.
	 */
	@Override
	void lock();

	/**
	 * As {@link #lock()}, with a lease other than the configured one.
	 * @param ttl how long the lock outlives a holder that died
	 */
	void lock(Duration ttl);

	/**
	 * Try once to acquire the lock, whatever wait is configured; not interruptible.
	 * @return whether the lock was acquired
	 * @throws LockStoreException if the store could not be asked
	 */
	@Override
	boolean tryLock();

	/**
	 * Wait for the lock within a total budget.
	 * @param wait the budget; zero and less try once
	 * @return whether the lock was acquired
	 * @throws InterruptedException if the thread was interrupted; nothing is left behind
	 * @throws LockStoreException if the store could not be asked
	 */
	boolean tryLock(Duration wait) throws InterruptedException;

	/**
	 * As {@link #tryLock(Duration)}, with a lease other than the configured one.
	 * @param wait the budget; zero and less try once
	 * @param ttl how long the lock outlives a holder that died
	 * @return whether the lock was acquired
	 * @throws InterruptedException if the thread was interrupted; nothing is left behind
	 * @throws LockStoreException if the store could not be asked
	 */
	boolean tryLock(Duration wait, Duration ttl) throws InterruptedException;

	/**
	 * The lease that the calling thread holds, the innermost one where it has entered
	 * several times.
	 * @return the lease
	 * @throws IllegalMonitorStateException if the thread does not hold the lock
	 */
	Lease lease();

	/**
	 * Whether the calling thread holds the lock, by a local comparison.
	 * @return whether it is certainly held
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
