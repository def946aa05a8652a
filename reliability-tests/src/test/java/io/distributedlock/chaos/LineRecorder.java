package io.distributedlock.chaos;

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

/**
 * Records who is in line for locks at which order is promised, which happens out of sight
 * of those who wait. Everything is passed on.
 */
class LineRecorder implements LockStore {

	private final LockStore delegate;

	final LineLog log;

	private final Acknowledgements acknowledgements;

	LineRecorder(LockStore delegate, LineLog log, Acknowledgements acknowledgements) {
		this.delegate = delegate;
		this.log = log;
		this.acknowledgements = acknowledgements;
	}

	@Override
	public final CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return this.log.asks(command, () -> this.delegate.acquire(command));
	}

	@Override
	public final CompletableFuture<Void> abandon(List<LockKey> keys, RequestId request) {
		this.log.leaves(keys, request);
		return this.delegate.abandon(keys, request);
	}

	@Override
	public final boolean takesTogether(List<LockKey> keys) {
		return this.delegate.takesTogether(keys);
	}

	@Override
	public final List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		return this.delegate.renew(commands);
	}

	@Override
	public final String nodeOf(LockKey key) {
		return this.delegate.nodeOf(key);
	}

	@Override
	public CompletableFuture<Boolean> release(List<LockKey> keys, RequestId request, RenewalMarks marks) {
		return this.acknowledgements.of(this.delegate.release(keys, request, marks));
	}

	@Override
	public final void start(String instance, WakeUpListener listener) {
		this.delegate.start(instance, listener);
	}

	@Override
	public final Duration commandTimeout() {
		return this.delegate.commandTimeout();
	}

	@Override
	public final void close() {
		this.delegate.close();
	}

}
