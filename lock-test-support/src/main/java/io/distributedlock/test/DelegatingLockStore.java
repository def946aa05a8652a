package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;

/** Passes everything on to another store. */
class DelegatingLockStore implements LockStore {

	final LockStore delegate;

	DelegatingLockStore(LockStore delegate) {
		this.delegate = delegate;
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.delegate.takesTogether(keys);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return this.delegate.acquire(command);
	}

	@Override
	public List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		return this.delegate.renew(commands);
	}

	@Override
	public String nodeOf(LockKey key) {
		return this.delegate.nodeOf(key);
	}

	@Override
	public CompletableFuture<Boolean> release(List<LockKey> keys, RequestId request, RenewalMarks marks) {
		return this.delegate.release(keys, request, marks);
	}

	@Override
	public CompletableFuture<Void> abandon(List<LockKey> keys, RequestId request) {
		return this.delegate.abandon(keys, request);
	}

	@Override
	public CompletableFuture<Void> replace(List<LockKey> keys, RequestId request, RequestId successor,
			Duration waiting) {
		return this.delegate.replace(keys, request, successor, waiting);
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.delegate.start(instance, listener);
	}

	@Override
	public String place(LockKey key) {
		return this.delegate.place(key);
	}

	@Override
	public Duration commandTimeout() {
		return this.delegate.commandTimeout();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}
