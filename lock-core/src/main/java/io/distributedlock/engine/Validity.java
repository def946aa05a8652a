package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.store.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * How long a grant is valid, from its first attempt to its end. The state is one number,
 * changed by compare-and-set only: the end of the validity while the lock is held, a
 * negative number otherwise, which says why if the lock was lost.
 * {@code ACQUIRING → held → RELEASING → RELEASED}, or {@code LOST}, or {@code ABANDONED}.
 * The timer is the alarm of the request, then the next renewal or the end of the
 * validity.
 */
abstract class Validity extends HeapTimer {

	static final long ACQUIRING = -1;

	static final long RELEASING = -2;

	static final long RELEASED = -3;

	static final long ABANDONED = -4;

	/**
	 * Lost for the first reason; one less for each other, and all less once it was told.
	 */
	static final long LOST = -5;

	private static final LossReason[] REASONS = LossReason.values();

	private static final AtomicLongFieldUpdater<Validity> STATE = AtomicLongFieldUpdater.newUpdater(Validity.class,
			"state");

	private volatile long state = ACQUIRING;

	private volatile LockTerms terms;

	/** When the request was drawn or before, or the last successful command was sent. */
	volatile long confirmedAt;

	private long acquiredAt;

	/**
	 * Create the validity of a request that is about to be drawn.
	 * @param drawnAt when the last jump of a clock was noticed before that
	 */
	Validity(long drawnAt, LockTerms terms) {
		this.confirmedAt = drawnAt;
		this.terms = terms;
	}

	abstract Instance instance();

	final long now() {
		return instance().now();
	}

	abstract @Nullable Object owner();

	/** The timer has fired while the lock is contended for. */
	abstract void alarm(long now);

	/** The timer has fired while the lock is held. */
	abstract void due(long now);

	/** The lock was lost. Called once, on the loop. */
	abstract void lost(LossReason reason);

	/**
	 * The store has given the lock. Called once, before the grant is visible to others.
	 */
	final void begin(LockTerms holder, long sentAt, long now, long validUntil) {
		this.terms = holder;
		this.acquiredAt = now;
		this.confirmedAt = sentAt;
		STATE.compareAndSet(this, ACQUIRING, validUntil);
	}

	/** The request has ended before the store has given the lock. */
	final boolean end() {
		return STATE.compareAndSet(this, ACQUIRING, ABANDONED);
	}

	boolean isLost() {
		return this.state <= LOST;
	}

	/**
	 * Whether the lock is neither lost nor released; notices the end of the validity. It
	 * may be in doubt.
	 */
	boolean isHeld(long now) {
		while (true) {
			long validUntil = this.state;
			if (validUntil < 0) {
				return false;
			}
			if (now < validUntil) {
				return true;
			}
			if (lose(validUntil, expiryReason(now))) {
				return false;
			}
		}
	}

	/** Whether the lock is held as far as the clocks of this machine can tell. */
	boolean isConfirmed(long now) {
		return isHeld(now) && !isInDoubt();
	}

	/**
	 * Whether a clock has jumped since the store has said last that the lock is held, or
	 * since the request was made.
	 */
	boolean isInDoubt() {
		return instance().clock.doubts(this.confirmedAt);
	}

	long remainingNanos(long now) {
		return isConfirmed(now) ? Math.max(0, this.state - now) : 0;
	}

	/**
	 * The store has confirmed a renewal. A lease that has run out stays lost. Where the
	 * clock is in doubt, only what the renewal gives counts; once that is known, nothing
	 * counts that a renewal of before gave.
	 * @param sentAt when the renewal was sent
	 */
	boolean extend(long now, long sentAt, long validUntil) {
		boolean inDoubt = isInDoubt();
		boolean tooOld = instance().clock.doubts(sentAt);
		while (isHeld(now)) {
			long current = this.state;
			long next = (inDoubt == tooOld) ? Math.max(current, validUntil) : tooOld ? current : validUntil;
			if (current >= 0 && STATE.compareAndSet(this, current, next)) {
				this.confirmedAt = Math.max(this.confirmedAt, sentAt);
				return true;
			}
		}
		return false;
	}

	/**
	 * An extend is about to be sent: from here on no more counts than the lease of before
	 * and the new one have in common.
	 * @param validUntil the end of the new one
	 * @return false if the lock is not held any more
	 */
	boolean limit(long now, long validUntil) {
		while (isHeld(now)) {
			long current = this.state;
			if (current >= 0 && STATE.compareAndSet(this, current, Math.min(current, validUntil))) {
				return true;
			}
		}
		return false;
	}

	/**
	 * From here on the holder has left.
	 * @param next releasing, or released where another holder goes on
	 * @return the end of the validity, or a negative number if the lease was lost
	 */
	long leave(long now, long next) {
		while (isHeld(now)) {
			long current = this.state;
			if (current >= 0 && STATE.compareAndSet(this, current, next)) {
				return current;
			}
		}
		return -1;
	}

	/** False for a lease that had been lost. */
	boolean released() {
		return STATE.compareAndSet(this, RELEASING, RELEASED);
	}

	/** The store said at the release that the lock had been lost before. */
	void lostAtRelease(Ownership answer) {
		lose(RELEASING, lossReason(answer));
	}

	/** Why the store says that the lock is not held. */
	LossReason lossReason(Ownership answer) {
		return (answer == Ownership.EXPIRED) ? expiryReason(now()) : LossReason.NOT_OWNER;
	}

	/** End a held grant. Happens at most once. */
	boolean lose(LossReason reason) {
		while (true) {
			long current = this.state;
			if (current < 0) {
				return false;
			}
			if (lose(current, reason)) {
				return true;
			}
		}
	}

	/** The loss is told on the loop, since this may be called under any monitor. */
	private boolean lose(long current, LossReason reason) {
		if (!STATE.compareAndSet(this, current, LOST - reason.ordinal())) {
			return false;
		}
		instance().loop.schedule(this, 0);
		return true;
	}

	private LossReason expiryReason(long now) {
		if (isOwnerDead()) {
			return LossReason.OWNER_ENDED;
		}
		return (isHeldToTheEnd(now) && this.terms.renew()) ? LossReason.MAX_HOLD : expired();
	}

	LossReason lossReason() {
		long current = this.state;
		return (current <= LOST) ? REASONS[(int) (LOST - current) % REASONS.length]
				: isInDoubt() ? LossReason.UNCONFIRMED : expired();
	}

	private LossReason expired() {
		return this.terms.renew() ? LossReason.EXPIRED : LossReason.NOT_RENEWED;
	}

	@Override
	public void fire(long now) {
		if (isHeld(now)) {
			due(now);
			return;
		}
		long current = this.state;
		if (current == ACQUIRING) {
			alarm(now);
			return;
		}
		boolean untold = current <= LOST && current > LOST - REASONS.length;
		if (untold && STATE.compareAndSet(this, current, current - REASONS.length)) {
			lost(lossReason());
		}
	}

	/** The loop has no driver any more, but a loss is told all the same. */
	@Override
	public void abort() {
		if (isLost()) {
			fire(instance().now());
		}
	}

	/** Set the timer. If the grant has ended meanwhile, the loop sees to that. */
	void schedule(long due) {
		instance().loop.schedule(this, due);
		if (this.state < 0) {
			instance().loop.schedule(this, 0);
		}
	}

	boolean wantsRenewal(long now) {
		return this.terms.renew() && !isHeldToTheEnd(now) && !isOwnerDead();
	}

	private boolean isHeldToTheEnd(long now) {
		return now - this.acquiredAt >= this.terms.maxHoldNanos();
	}

	/**
	 * How long a renewal is to last: one that only confirms adds nothing to the lease.
	 */
	long renewalNanos(long now) {
		return wantsRenewal(now) ? ttlNanos() : LockTerms.leaseNanos(Math.max(0, this.state - now));
	}

	/** Whether the thread has ended that owns the lease. */
	boolean isOwnerDead() {
		return owner() instanceof Thread thread && !thread.isAlive();
	}

	/**
	 * Take over what a re-entrant holder wants more; nothing gets less.
	 * @return the terms before
	 */
	LockTerms extend(LockTerms wanted) {
		LockTerms before = this.terms;
		this.terms = before.orMore(wanted);
		return before;
	}

	/** The holder sets its lease anew. Called under the monitor of the queue. */
	void terms(LockTerms changed) {
		this.terms = changed;
	}

	LockTerms terms() {
		return this.terms;
	}

	long ttlNanos() {
		return this.terms.ttlNanos();
	}

	/** How long an answer can be worth waiting for. */
	long patience() {
		return Math.min(instance().commandTimeoutNanos(), ttlNanos());
	}

	long validUntil() {
		return this.state;
	}

	/** When the store has given the lock. */
	long acquiredAt() {
		return this.acquiredAt;
	}

	Duration heldFor(long now) {
		return Duration.ofNanos(now - this.acquiredAt);
	}

}
