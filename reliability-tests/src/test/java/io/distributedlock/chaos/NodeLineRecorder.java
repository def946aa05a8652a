package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

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
	public CompletableFuture<AcquireOutcome> claim(AcquireCommand command, boolean again) {
		this.log.claims(command);
		return this.delegate.claim(command, again);
	}

	@Override
	public CompletableFuture<Void> standInLine(AcquireCommand command) {
		this.log.stands(command);
		return this.delegate.standInLine(command);
	}

	@Override
	public CompletableFuture<Void> withdraw(List<LockKey> keys, RequestId request, Duration waiting) {
		this.log.leaves(keys, request);
		return this.delegate.withdraw(keys, request, waiting);
	}

	@Override
	public CompletableFuture<Boolean> release(List<LockKey> keys, RequestId request, RenewalMarks marks) {
		this.log.leaves(keys, request);
		return super.release(keys, request, marks);
	}

	@Override
	public CompletableFuture<Boolean> raise(List<LockKey> keys, RequestId request, long token) {
		return this.delegate.raise(keys, request, token);
	}

}
