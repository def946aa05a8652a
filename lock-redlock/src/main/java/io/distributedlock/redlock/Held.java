package io.distributedlock.redlock;

import java.time.Duration;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RenewalMarks;

/**
 * The state of a granted request in this instance: enough to take the lock again on a
 * node that has lost it. Nodes are bits. Thread-safe.
 */
final class Held {

	final AcquireCommand command;

	/** The token that was handed out. */
	final long token;

	/** Number of nodes that have to confirm the lease. */
	final int needed;

	/** End of {@code keepFor}, in nanoseconds of the timer. */
	private volatile long keptUntil;

	/** Marks of the last command that was sent. */
	private RenewalMarks marks = RenewalMarks.NONE;

	/** Nodes that have yet to answer a command that grants the request. */
	private long unanswered;

	/**
	 * Nodes that have failed and may still apply the command: after its time-out it may
	 * lie in the input of a stopped process.
	 */
	private long failed;

	/** Nodes that have granted the request. */
	private long applied;

	private long validUntil;

	Held(AcquireCommand command, long token, int needed, long sentAt) {
		this.command = command;
		this.token = token;
		this.needed = needed;
		this.keptUntil = sentAt + command.keepFor().toNanos();
		this.validUntil = sentAt + command.ttl().toNanos();
	}

	/** Return the last of the tokens that no other request may get. */
	long lastToken() {
		return this.token + this.command.spareTokens();
	}

	synchronized boolean isValid(long now) {
		return this.validUntil - now > 0;
	}

	/**
	 * Note the marks of a renewal that is sent, unless an extend was sent after it was
	 * marked.
	 */
	synchronized void sent(RenewalMarks marked) {
		if (marked.know(this.marks.newest())) {
			this.marks = marked;
		}
	}

	/** Note an extend that is sent: the shorter of the old and the new lease counts. */
	synchronized void sent(RenewalMarks marked, long until) {
		this.marks = marked;
		this.validUntil = Math.min(this.validUntil, until);
	}

	/** Return whether no command with other marks was sent since. */
	synchronized boolean isLast(RenewalMarks marked) {
		return this.marks.equals(marked);
	}

	/**
	 * Lengthen the lease, because enough nodes have confirmed the command with these
	 * marks.
	 */
	synchronized void confirmed(RenewalMarks marked, long until) {
		if (isLast(marked)) {
			this.validUntil = Math.max(this.validUntil, until);
		}
	}

	void keep(long until) {
		this.keptUntil = until;
	}

	/** Return the rest of {@code keepFor}. */
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

	/** Note that a node has granted the request. */
	synchronized void applied(int index) {
		this.failed &= ~(1L << index);
		this.applied |= 1L << index;
	}

	synchronized boolean isApplied(int index) {
		return (this.applied & (1L << index)) != 0;
	}

	/** Return whether the node may still grant the request later. */
	synchronized boolean mayComeLater(int index) {
		return ((this.unanswered | this.failed) & (1L << index)) != 0;
	}

}
