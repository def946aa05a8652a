package io.distributedlock.history;

import java.time.Duration;

/**
 * The guarantees of the locks under test, in numbers.
 *
 * @param lease the longest ttl, L
 * @param poll the longest a waiter sleeps, B
 * @param commandTimeout the longest a command takes, R
 * @param slack the time that scheduling and recording may add
 * @param renewals whether every renewal is recorded. If not, the belief of a holder ends
 * for the checker with the validity it was given first, and the checker does not know
 * when a lock is free whose holder is stopped
 * @param quorum whether independent nodes decide by majority, each of which has lines of
 * its own
 */
public record Bounds(Duration lease, Duration poll, Duration commandTimeout, Duration slack, boolean renewals,
		boolean quorum) {

	private static final long LONGEST_TURN_NANOS = 20_000_000;

	/** Bounds of locks that one store decides on. */
	public Bounds(Duration lease, Duration poll, Duration commandTimeout, Duration slack, boolean renewals) {
		this(lease, poll, commandTimeout, slack, renewals, false);
	}

	/**
	 * The same where a majority of independent nodes decides.
	 * @return new bounds
	 */
	public Bounds ofQuorum() {
		return new Bounds(this.lease, this.poll, this.commandTimeout, this.slack, this.renewals, true);
	}

	/**
	 * How many writers may come before a reader who waits: the one who has the lock, and
	 * where the reader had not reached enough nodes when that one ended, another one.
	 */
	int writersBeforeReader() {
		return this.quorum ? 2 : 1;
	}

	long leaseNanos() {
		return this.lease.toNanos();
	}

	long commandNanos() {
		return this.commandTimeout.toNanos();
	}

	long slackNanos() {
		return this.slack.toNanos();
	}

	/** How much earlier than the store a client ends a lease. */
	long driftNanos() {
		return this.lease.toNanos() / 100 + 2_000_000;
	}

	/** How long callers of one process hand a lock on without asking the store. */
	long turnNanos() {
		return Math.min(LONGEST_TURN_NANOS, this.lease.toNanos() / 100);
	}

	/** How long a waiter entry is valid without being repeated. */
	long waiterEntryNanos() {
		return 3 * this.poll.toNanos();
	}

	/** How long a lock may be free while a request waits. */
	long waitNanos() {
		return this.poll.plus(this.slack).toNanos();
	}

	/** How long it takes at most until a renewal finds that the lock is gone. */
	long detectionNanos() {
		return this.lease.dividedBy(3).plus(this.commandTimeout).toNanos();
	}

}
