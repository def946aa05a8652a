package io.distributedlock.redlock;

import java.time.Duration;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RenewalMarks;

/**
 * What this instance knows of a request that was granted: enough to take it again on a
 * node that has lost it. Nodes are bits. Thread-safe.
 */
final class Held {

	final AcquireCommand command;

	/** The token that was handed out. */
	final long token;

	/** How many nodes have to say that it holds. */
	final int needed;

	/** The end of what {@code keepFor} demands. */
	private volatile long keptUntil;

	/** Those of the last command that was sent. */
	private RenewalMarks marks = RenewalMarks.NONE;

	/** Nodes that have been asked for it and have not answered. */
	private long unanswered;

	/**
	 * Nodes that have failed, and may still apply it: what has timed out here lies in the
	 * input of a process that was stopped.
	 */
	private long failed;

	/** Nodes that have had it. */
	private long applied;

	private long validUntil;

	Held(AcquireCommand command, long token, int needed, long sentAt) {
		this.command = command;
		this.token = token;
		this.needed = needed;
		this.keptUntil = sentAt + command.keepFor().toNanos();
		this.validUntil = sentAt + command.ttl().toNanos();
	}

	/** The last one of the tokens that no other request may get. */
	long lastToken() {
		return this.token + this.command.spareTokens();
	}

	synchronized boolean isValid(long now) {
		return this.validUntil - now > 0;
	}

	/**
	 * A renewal is sent. One that was marked before an extend has no effect behind it.
	 */
	synchronized void sent(RenewalMarks marked) {
		if (marked.know(this.marks.newest())) {
			this.marks = marked;
		}
	}

	/** An extend is sent: no more counts than the lease of before and the new one. */
	synchronized void sent(RenewalMarks marked, long until) {
		this.marks = marked;
		this.validUntil = Math.min(this.validUntil, until);
	}

	/** Whether no command with other marks was sent since. */
	synchronized boolean isLast(RenewalMarks marked) {
		return this.marks.equals(marked);
	}

	/** Enough nodes have confirmed what was sent with some marks. */
	synchronized void confirmed(RenewalMarks marked, long until) {
		if (isLast(marked)) {
			this.validUntil = Math.max(this.validUntil, until);
		}
	}

	void keep(long until) {
		this.keptUntil = until;
	}

	/** How long the lock stays taken at least. */
	Duration kept(long now) {
		return Duration.ofNanos(Math.max(0, this.keptUntil - now));
	}

	synchronized void asked(int index) {
		this.unanswered |= 1L << index;
	}

	synchronized void answered(int index) {
		this.unanswered &= ~(1L << index);
	}

	synchronized boolean isUnanswered(int index) {
		return (this.unanswered & (1L << index)) != 0;
	}

	synchronized void failed(int index) {
		this.failed |= 1L << index;
	}

	/** The node has applied it. */
	synchronized void applied(int index) {
		this.failed &= ~(1L << index);
		this.applied |= 1L << index;
	}

	synchronized boolean isApplied(int index) {
		return (this.applied & (1L << index)) != 0;
	}

	/** Whether the node may apply later what it was asked for. */
	synchronized boolean mayComeLater(int index) {
		return ((this.unanswered | this.failed) & (1L << index)) != 0;
	}

}
