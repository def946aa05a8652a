package io.distributedlock.engine;

import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockMode;

/** A read lock and a write lock of one key, owned by threads. */
final class ThreadReadWriteLock implements LeaseReadWriteLock {

	private final LeaseLock readLock;

	private final LeaseLock writeLock;

	ThreadReadWriteLock(DefaultLockRegistry registry, String key) {
		this.readLock = new ThreadLeaseLock(registry, key, LockMode.READ);
		this.writeLock = new ThreadLeaseLock(registry, key, LockMode.WRITE);
	}

	@Override
	public String key() {
		return this.writeLock.key();
	}

	@Override
	public LeaseLock readLock() {
		return this.readLock;
	}

	@Override
	public LeaseLock writeLock() {
		return this.writeLock;
	}

	@Override
	public String toString() {
		return "LeaseReadWriteLock[" + key() + "]";
	}

}
