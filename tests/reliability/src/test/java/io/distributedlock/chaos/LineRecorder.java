package io.distributedlock.chaos;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.DelegatingLockStore;

/**
 * Records which requests are in line for locks that promise an order, which callers
 * cannot see. Everything is passed on but the successors of requests: these take new
 * places, as in the line that is recorded.
 */
class LineRecorder extends DelegatingLockStore {

	final LineLog log;

	private final Acknowledgements acknowledgements;

	LineRecorder(LockStore delegate, LineLog log, Acknowledgements acknowledgements) {
		super(delegate);
		this.log = log;
		this.acknowledgements = acknowledgements;
	}

	/** A release may give the lock to a request without another attempt. */
	@Override
	public void start(String instance, WakeUpListener listener) {
		super.start(instance, new PassingListener(listener) {

			@Override
			public void claimed(String encodedKey, String request, long token) {
				LineRecorder.this.log.isGiven(LockKey.ofEncoded(encodedKey), RequestId.parse(request));
				super.claimed(encodedKey, request, token);
			}

		});
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return this.log.asks(command, () -> super.acquire(command));
	}

	@Override
	public final CompletableFuture<Void> abandon(AbandonCommand command) {
		this.log.leaves(command.keys(), command.request());
		return super.abandon(
				(command.successor() == null) ? command : new AbandonCommand(command.keys(), command.request()));
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		return this.acknowledgements.of(super.release(command));
	}

}
