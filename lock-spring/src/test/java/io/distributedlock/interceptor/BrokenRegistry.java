package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;

/** A registry whose store cannot be used. */
record BrokenRegistry(LockStoreException.Kind kind) implements LockRegistry {

	@Override
	public LeaseLock getLock(String name, String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<Lease> tryAcquire(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lease acquire(LockRequest request) {
		throw new LockStoreException(this.kind, "no connection", null);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
	}

}
