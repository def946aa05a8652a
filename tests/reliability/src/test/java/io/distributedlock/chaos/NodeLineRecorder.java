package io.distributedlock.chaos;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;

/**
 * Records who is in line on one of several independent nodes. Who gets a lock there by
 * the word of the others is in its line no more.
 */
final class NodeLineRecorder extends LineRecorder implements QuorumNode {

	private final QuorumNode delegate;

	NodeLineRecorder(QuorumNode delegate, LineLog log) {
		super(delegate, log, new Acknowledgements());
		this.delegate = delegate;
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		if (!command.retakes()) {
			return super.acquire(command);
		}
		this.log.claims(command);
		return this.delegate.acquire(command);
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		this.log.leaves(command.keys(), command.request());
		return super.release(command);
	}

	@Override
	public CompletableFuture<Boolean> raise(RaiseCommand command) {
		return this.delegate.raise(command);
	}

}
