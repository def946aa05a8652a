package io.distributedlock.engine.internal.line;

import java.util.function.Predicate;

import io.distributedlock.engine.internal.lease.Grant;
import org.jspecify.annotations.Nullable;

/**
 * The claim of a waiting request: a release of another instance may give it the lock.
 * Guarded by the queue.
 */
final class Claim {

	/** The request that was dropped for this one, and whose waiter entry has stayed. */
	private @Nullable Grant earlier;

	/** Set once an attempt of the request was sent. */
	private boolean asked;

	/** Send time of the first attempt. */
	private long askedAt;

	/** Set once an attempt of the request was answered with "busy". */
	private boolean waits;

	/** Send time of the last attempt that was answered with "busy". */
	private long waitedAt;

	/** The token that came with the lock, or zero. */
	private long token;

	/** Set if a release has given the lock since the last attempt was made. */
	private boolean given;

	Claim(@Nullable Grant earlier) {
		this.earlier = earlier;
	}

	/**
	 * Return the request that was dropped for this one if a release has given it the
	 * lock. The caller ends it, so it is returned once.
	 */
	@Nullable Grant takeDropped(String request) {
		return takeDropped(dropped(), (dropped) -> dropped.isOf(request));
	}

	/**
	 * Return the dropped request if it has the lock, as the answer to an attempt shows.
	 * The message has not come, and may be lost. One of a set may have any of its locks.
	 * The caller ends it.
	 */
	@Nullable Grant takeDroppedOf(String holder) {
		return takeDropped(dropped(), (dropped) -> !dropped.plain || holder.equals(dropped.request().instance()));
	}

	private @Nullable Grant takeDropped(@Nullable Grant dropped, Predicate<Grant> isMeant) {
		if (dropped == null || !isMeant.test(dropped)) {
			return null;
		}
		this.earlier = null;
		return dropped;
	}

	/**
	 * Return the request that was dropped for this one, if it has to be ended in the
	 * store: a release may have given it the lock, and the message may be on its way.
	 */
	@Nullable Grant dropped() {
		Grant dropped = this.earlier;
		return (dropped != null && Attempt.claims(dropped)) ? dropped : null;
	}

	/** An attempt was sent. */
	void asked(long sentAt) {
		if (!this.asked) {
			this.asked = true;
			this.askedAt = sentAt;
		}
	}

	/**
	 * Return whether the first attempt was sent at that time or later, so that the
	 * request got no lock before.
	 */
	boolean askedSince(long time) {
		return this.asked && this.askedAt >= time;
	}

	/** An attempt was answered with "busy". */
	void waits(long sentAt) {
		this.waits = true;
		this.waitedAt = sentAt;
	}

	/** A release has given the lock to the request. */
	void given(long token) {
		this.token = token;
		this.given = true;
	}

	/** Begin an attempt: its answer shows a given lock. Return whether there was one. */
	boolean attempted() {
		boolean before = this.given;
		this.token = 0;
		this.given = false;
		return before;
	}

	boolean isGiven() {
		return this.given;
	}

	/**
	 * Take the lock that was given, unless another attempt has to confirm it. The lease
	 * counts from the last attempt, which may be long ago. Only an attempt reserves
	 * tokens, gets the other locks of a set, begins the time for which the lock is kept,
	 * sets a delay, or gets a full lease that is not renewed.
	 * @param spareTokens the number of tokens that the next attempt would reserve
	 * @return the attempt that has got the lock, or {@code null}
	 */
	@Nullable Attempt take(Grant grant, Waiter head, int spareTokens) {
		long given = this.token;
		this.token = 0;
		boolean confirms = spareTokens > 0 || !grant.plain || !head.terms.renew || !head.terms.keepFor.isZero()
				|| !head.terms.lockDelay.isZero();
		if (given == 0 || !this.waits || confirms) {
			return null;
		}
		Attempt answered = new Attempt(grant, head, given, this.waitedAt);
		return answered.isUsable(grant.now()) ? answered : null;
	}

}
