package io.distributedlock.engine;

import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.store.LockKey;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/** A read lock and a write lock of one key, owned by threads. */
final class ThreadReadWriteLock implements LeaseReadWriteLock {

	private static final LockOptions READING = LockOptions.NONE.withMode(LockMode.READ);

	private static final LockOptions WRITING = LockOptions.NONE.withMode(LockMode.EXCLUSIVE);

	private final LeaseLock readLock;

	private final LeaseLock writeLock;

	private final LockKey key;

	ThreadReadWriteLock(DefaultLockRegistry registry, LockKey key) {
		this.readLock = new ThreadLeaseLock(registry, key, READING);
		this.writeLock = new ThreadLeaseLock(registry, key, WRITING);
		this.key = key;
	}

	@Override
	public String key() {
		return this.key.key();
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
	public boolean equals(@Nullable Object other) {
		return other instanceof ThreadReadWriteLock that && this.writeLock.equals(that.writeLock);
	}

	@Override
	public int hashCode() {
		return this.writeLock.hashCode();
	}

	@Override
	public String toString() {
		return "LeaseReadWriteLock[" + DisplayText.lock(this.key.name(), key()) + "]";
	}

}
