package io.distributedlock;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link ReadWriteLock} across all instances of the application: any number of readers,
 * or one writer. Thread-safe and without state of its own: two objects of one registry
 * for the same name and key are equal and are the same lock. The write lock is also
 * {@link LockRegistry#getLock(String, String)}.
 * <p>
 * Both locks are owned by the thread that took them, and re-entrant. The holder of the
 * write lock may take the read lock as well and release the write lock first: it goes on
 * as a reader, and no writer comes between. A reader that asks for the write lock would
 * wait for itself, so it is refused at once with {@link LockUpgradeException}. The
 * methods that try throw it as well, where a {@code ReentrantReadWriteLock} returns
 * {@code false}.
 * <p>
 * Readers do not overtake a waiting writer, so that a stream of readers does not keep
 * writers out; readers that wait while a writer has the lock are served before the next
 * writer.
 *
 * @since 0.1.0
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

	/**
	 * The key.
	 * @return the key as the caller wrote it
	 */
	String key();

	/**
	 * The lock for reading. Readers share a fencing token.
	 * @return the lock, which has no conditions
	 */
	@Override
	LeaseLock readLock();

	/**
	 * The lock for writing.
	 * @return the lock, which has no conditions
	 */
	@Override
	LeaseLock writeLock();

}
