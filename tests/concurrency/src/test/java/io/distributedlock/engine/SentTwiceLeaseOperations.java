package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.engine.internal.line.GrantLease;

/** The fault that must be found: closing checks first and acts afterwards. */
public class SentTwiceLeaseOperations extends LeaseOperations {

	private final AtomicInteger sent = new AtomicInteger();

	private volatile boolean closed;

	@Override
	void close(GrantLease lease) {
		if (!this.closed) {
			// Where the threads share one core, no other comes in here by chance.
			Thread.yield();
			this.closed = true;
			this.sent.incrementAndGet();
		}
		super.close(lease);
	}

	@Override
	int releasesSent() {
		return this.sent.get();
	}

}
