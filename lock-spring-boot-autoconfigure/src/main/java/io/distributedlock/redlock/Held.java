package io.distributedlock.redlock;

import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.store.AcquireCommand;

/**
 * What this instance knows of a request that was granted: enough to take it again on a
 * node that has lost it.
 */
final class Held {

	final AcquireCommand command;

	/** The token that was handed out. */
	final long token;

	/** How many nodes have to say that it holds. */
	final int needed;

	/** The end of what {@code keepFor} demands. */
	final long keptUntil;

	/** Nodes that have been asked for it and have not answered, as bits. */
	private final AtomicLong unanswered = new AtomicLong();

	/** Nodes that may still apply it, as bits. */
	private final AtomicLong failed = new AtomicLong();

	private final AtomicLong validUntil;

	Held(AcquireCommand command, long token, int needed, long sentAt) {
		this.command = command;
		this.token = token;
		this.needed = needed;
		this.keptUntil = sentAt + command.keepFor().toNanos();
		this.validUntil = new AtomicLong(sentAt + command.ttl().toNanos());
	}

	long validUntil() {
		return this.validUntil.get();
	}

	void extend(long until) {
		this.validUntil.accumulateAndGet(until, Math::max);
	}

	void asked(int index) {
		this.unanswered.getAndUpdate((bits) -> bits | (1L << index));
	}

	void answered(int index) {
		this.unanswered.getAndUpdate((bits) -> bits & ~(1L << index));
	}

	boolean isUnanswered(int index) {
		return (this.unanswered.get() & (1L << index)) != 0;
	}

	/**
	 * It was not answered, but the command may have got through, or may yet: what has
	 * timed out here lies in the input of a process that was stopped.
	 */
	void failed(int index) {
		this.failed.getAndUpdate((bits) -> bits | (1L << index));
	}

	/** The node has applied it. */
	void applied(int index) {
		this.failed.getAndUpdate((bits) -> bits & ~(1L << index));
	}

	/** Whether the node may apply later what it was asked for. */
	boolean mayComeLater(int index) {
		return ((this.unanswered.get() | this.failed.get()) & (1L << index)) != 0;
	}

}
