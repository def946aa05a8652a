package io.distributedlock.engine.internal.line;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.Passage;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/** An attempt to acquire a lock, from the decision to make it to its answer. */
final class Attempt {

	/**
	 * A given lock is confirmed before it is used if a quarter of the lease is over. So
	 * the caller begins with two thirds of it at least, in spite of the drift.
	 */
	private static final int PARTS_OF_LEASE = 4;

	final Grant grant;

	final Waiter head;

	/** {@code true} if it is the first attempt of its request. */
	private final boolean first;

	/** Lifetime of the waiter entry left in the store; zero leaves none. */
	final Duration waiting;

	/** Number of tokens that are reserved for the next callers of this instance. */
	final int spareTokens;

	/** The token by which a release has given the lock to the request, or zero. */
	final long claimedToken;

	/**
	 * {@code true} if a release has given the lock to the request, as far as is known.
	 */
	boolean given;

	/** Time when it is sent; set before it can be answered. */
	long sentAt;

	/** Time when it is given up. */
	long overdueAt;

	/** Its way to its node; {@code null} unless that node is in trouble. */
	volatile @Nullable Passage passage;

	/**
	 * The pending answer; {@code null} until the attempt was sent. Guarded by the queue.
	 */
	@Nullable CompletableFuture<AcquireOutcome> answer;

	Attempt(Grant grant, Waiter head, boolean first, Duration waiting, int spareTokens) {
		this.grant = grant;
		this.head = head;
		this.first = first;
		this.waiting = waiting;
		this.spareTokens = spareTokens;
		this.claimedToken = 0;
	}

	/**
	 * Create the attempt for a claim: a release has given the lock to the request after
	 * its last attempt was answered with "busy".
	 * @param sentAt when that attempt was sent
	 */
	Attempt(Grant grant, Waiter head, long claimedToken, long sentAt) {
		this.grant = grant;
		this.head = head;
		this.first = false;
		this.waiting = Duration.ZERO;
		this.spareTokens = 0;
		this.claimedToken = claimedToken;
		this.given = true;
		this.sentAt = sentAt;
	}

	/** Return whether the store should keep a waiter entry if the lock is busy. */
	boolean leavesEntry() {
		return !this.waiting.isZero();
	}

	/** Return the end of the lease that the store has given, less the drift. */
	long validUntil() {
		return this.sentAt + this.grant.terms().validNanos;
	}

	/** Return whether enough of the lease is left to use it without a confirmation. */
	boolean isUsable(long now) {
		return now - this.sentAt < this.grant.ttlNanos() / PARTS_OF_LEASE;
	}

	/**
	 * Return whether a release gives the lock to the waiter entry of the request; if not,
	 * it only wakes the waiter.
	 */
	static boolean claims(Grant grant) {
		return grant.terms().mode == LockMode.EXCLUSIVE && grant.instance.hasClaims;
	}

	/** Return whether its entry relies on the messages of releases. */
	private boolean listens(LockTerms terms) {
		return claims(this.grant) || FairSigns.areGiven(terms.mode, this.head.keys, this.grant.instance);
	}

	/** Return whether a caller that leaves may hand the lock on to others here. */
	static boolean handsOn(Grant grant, LockTerms terms) {
		return grant.plain && terms.keepFor.isZero();
	}

	/** Return the source of the lock if it is granted. */
	AcquiredFrom from() {
		return this.given ? AcquiredFrom.OTHER_INSTANCE : AcquiredFrom.STORE;
	}

	/** Begin to send it. Called outside the monitor. */
	void begin() {
		this.sentAt = this.grant.instance.clock.nanos();
		this.overdueAt = this.sentAt + this.grant.patience();
	}

	/** Return the lock that it is for, or one of them. */
	LockKey key() {
		return this.head.keys.get(0);
	}

	/** Return the time from which its answer is of no use. */
	long until() {
		return this.head.isOnce() ? this.overdueAt : this.head.deadline;
	}

	/** Return whether it waits for its turn, or has had it. */
	boolean hasPassage() {
		return this.passage != null;
	}

	/** Prevent the sending; return false if it may have been sent. */
	boolean withdraw() {
		Passage current = this.passage;
		return current != null && current.withdraw();
	}

	/** Give up the answer, since no caller waits for it. Called outside the monitor. */
	void giveUp(CompletableFuture<AcquireOutcome> unanswered) {
		if (!this.grant.instance.traffic.givenUp(key(), this.passage, this.sentAt)) {
			unanswered.cancel(true);
		}
	}

	/**
	 * Return the command that is sent.
	 * @param beside the exclusive request by which the owner has the keys already
	 */
	AcquireCommand command(@Nullable RequestId beside) {
		LockTerms terms = this.grant.terms();
		return new AcquireCommand(this.head.keys, this.grant.request(), terms.mode, terms.permits, beside, terms.ttl,
				terms.keepFor, this.waiting, this.grant.instance.highestToken(), false, this.spareTokens,
				(leavesEntry() && listens(terms)) ? terms.ttl : Duration.ZERO, terms.lockDelay, terms.take);
	}

	/**
	 * Handle a refusal. If a first attempt is refused within its lease, the store knows a
	 * request that was not made here: doubt all that it has confirmed.
	 */
	void refused(long now) {
		if (this.first && now < validUntil()) {
			this.grant.instance.clock.distrust();
		}
	}

}
