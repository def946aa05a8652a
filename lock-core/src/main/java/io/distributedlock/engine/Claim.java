package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * What a release of another instance may make of a request that waits: its lock. Guarded
 * by the queue.
 */
final class Claim {

	/** The request that was dropped for this one, and whose waiter entry has stayed. */
	private final @Nullable Grant earlier;

	/** Whether an attempt of the request was sent. */
	private boolean asked;

	/** When the first of these was sent. */
	private long askedAt;

	/** Whether an attempt of the request was answered with "busy". */
	private boolean waits;

	/** When the last of these was sent. */
	private long waitedAt;

	/** The token that came with the lock, or zero. */
	private long token;

	/** Whether a release has given the lock since the last attempt was made. */
	private boolean given;

	Claim(@Nullable Grant earlier) {
		this.earlier = earlier;
	}

	/** Whether this one has come in the place of another request. */
	boolean follows(String request) {
		return this.earlier != null && this.earlier.request().toString().equals(request);
	}

	/**
	 * End the request that was dropped for this one: a release may have given it the
	 * lock, and the message be on its way.
	 * @return whether there is one
	 */
	boolean endDropped(AfterUnlock effects) {
		Grant dropped = this.earlier;
		if (dropped == null || Attempt.claimNanos(dropped.queue, dropped.terms()) == 0) {
			return false;
		}
		effects.add(() -> EndCommand.abandon(dropped, false));
		return true;
	}

	/** An attempt was sent. */
	void asked(long sentAt) {
		if (!this.asked) {
			this.asked = true;
			this.askedAt = sentAt;
		}
	}

	/**
	 * Whether no attempt was sent before that time, so that the request has got no lock
	 * either.
	 */
	boolean askedSince(long time) {
		return this.asked && this.askedAt >= time;
	}

	/** The lock is busy. */
	void waits(long sentAt) {
		this.waits = true;
		this.waitedAt = sentAt;
	}

	/** A release has given the lock to the request. */
	void given(long token) {
		this.token = token;
		this.given = true;
	}

	/** An attempt is made. What was given before shows in its answer. */
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
	 * The lock that was given, unless it has to be asked for once more: the claim may be
	 * nearly over, and only an attempt reserves tokens or gets a lease that need not be
	 * renewed.
	 * @param spareTokens how many tokens the next attempt would reserve
	 * @return what has got the lock, or {@code null}
	 */
	@Nullable Attempt take(Attempt.Asker asker, Grant grant, Waiter head, int spareTokens) {
		long given = this.token;
		this.token = 0;
		if (given == 0 || !this.waits || spareTokens > 0 || !head.terms.renew()) {
			return null;
		}
		Attempt answered = new Attempt(asker, grant, head, given, this.waitedAt);
		return answered.isUsable(grant.now()) ? answered : null;
	}

	/** No caller waits any more under a request that was given a lock. */
	static void giveUp(LockStore store, String encodedKey, String request) {
		store.abandon(new AbandonCommand(List.of(LockKey.ofEncoded(encodedKey)), RequestId.parse(request)));
	}

}
