package io.distributedlock.engine;

import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/** A read lock and a write lock of one key, owned by threads. */
final class ThreadReadWriteLock implements LeaseReadWriteLock {

	private final LeaseLock readLock;

	private final LeaseLock writeLock;

	private final LockRequest request;

	ThreadReadWriteLock(DefaultLockRegistry registry, LockRequest request) {
		this.readLock = new ThreadLeaseLock(registry, request.mode(LockMode.READ));
		this.writeLock = new ThreadLeaseLock(registry, request.mode(LockMode.EXCLUSIVE));
		this.request = request;
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
	public boolean equals(@Nullable Object other) {
		return other instanceof ThreadReadWriteLock that && this.writeLock.equals(that.writeLock);
	}

	@Override
	public int hashCode() {
		return this.writeLock.hashCode();
	}

	@Override
	public String toString() {
		return "LeaseReadWriteLock[" + DisplayText.lock(this.request.name(), key()) + "]";
	}

}
