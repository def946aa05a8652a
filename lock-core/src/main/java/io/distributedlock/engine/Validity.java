package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.store.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * The state of a grant, its terms and its timer. The state is one number: the end of the
 * validity while the lock is held, otherwise negative; for a lost lock it also says why.
 * {@code ACQUIRING → held → RELEASING → RELEASED}, or {@code LOST}, or {@code ABANDONED}.
 * {@link Grant} says who changes it. The timer is the alarm of the request, then the next
 * renewal or the end of the validity, and after a loss the notification.
 */
abstract class Validity extends HeapTimer {

	static final long ACQUIRING = -1;

	static final long RELEASING = -2;

	static final long RELEASED = -3;

	static final long ABANDONED = -4;

	/**
	 * {@code LOST} minus the reason's ordinal; minus the number of reasons as well once
	 * the holder was notified.
	 */
	static final long LOST = -5;

	private static final LossReason[] REASONS = LossReason.values();

	private static final AtomicLongFieldUpdater<Validity> STATE = AtomicLongFieldUpdater.newUpdater(Validity.class,
			"state");

	private volatile long state = ACQUIRING;

	private volatile LockTerms terms;

	/**
	 * Send time of the last confirmed command; at first the last clock jump before the
	 * request was drawn.
	 */
	volatile long confirmedAt;

	private long acquiredAt;

	/**
	 * Create the validity of a request that is about to be drawn.
	 * @param drawnAt the time of the last clock jump that was noticed before that
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

	/** Hold the lock from now on. Called once, before the grant is visible to others. */
	final void begin(LockTerms holder, long sentAt, long now, long validUntil) {
		this.terms = holder;
		this.acquiredAt = now;
		this.confirmedAt = sentAt;
		STATE.compareAndSet(this, ACQUIRING, validUntil);
	}

	/** End the request, which has no lock; return false if its state is another one. */
	final boolean end() {
		return STATE.compareAndSet(this, ACQUIRING, ABANDONED);
	}

	boolean isLost() {
		return this.state <= LOST;
	}

	/**
	 * Return whether the lock is held, and lose it if the validity has ended. The grant
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

	/** Return whether the lock is held and no clock jump has put it in doubt. */
	boolean isConfirmed(long now) {
		return isHeld(now) && !isInDoubt();
	}

	/**
	 * Return whether a clock has jumped since the last confirmed command was sent, or
	 * since the request was drawn.
	 */
	boolean isInDoubt() {
		return instance().clock.doubts(this.confirmedAt);
	}

	long remainingNanos(long now) {
		return isConfirmed(now) ? Math.max(0, this.state - now) : 0;
	}

	/**
	 * Extend the lease by a confirmed renewal. An expired lease stays lost. If the grant
	 * is in doubt and the renewal was sent after the clock jump, only the renewal counts.
	 * If the store has confirmed the grant since the jump, an older renewal changes
	 * nothing.
	 * @param sentAt the send time of the renewal
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
	 * Limit the validity to the shorter of the old and the new lease, before an extend is
	 * sent.
	 * @param validUntil the end of the new lease
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
	 * End the validity, because the holder leaves.
	 * @param next {@code RELEASING}, or {@code RELEASED} if another holder goes on
	 * @return the end of the validity, or a negative number if the lock was not held
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

	/** Mark the grant as released; return false if it was lost. */
	boolean released() {
		return STATE.compareAndSet(this, RELEASING, RELEASED);
	}

	/** The store has answered the release that the lock was lost before. */
	void lostAtRelease(Ownership answer) {
		lose(RELEASING, lossReason(answer));
	}

	/** Return the reason for a loss that the store has reported. */
	LossReason lossReason(Ownership answer) {
		return (answer == Ownership.EXPIRED) ? expiryReason(now()) : LossReason.NOT_OWNER;
	}

	/** Lose a held grant. Happens at most once. */
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

	/** Lose the grant. The loop notifies, since a caller may be under any monitor. */
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

	/** Notify of a loss all the same when the loop has no driver any more. */
	@Override
	public void abort() {
		if (isLost()) {
			fire(instance().now());
		}
	}

	/** Set the timer, which fires at once if the grant has ended meanwhile. */
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

	/** Return the ttl of a renewal: one that only confirms adds nothing to the lease. */
	long renewalNanos(long now) {
		return wantsRenewal(now) ? ttlNanos() : LockTerms.leaseNanos(Math.max(0, this.state - now));
	}

	/** Return whether the thread that owns the lease has ended. */
	boolean isOwnerDead() {
		return owner() instanceof Thread thread && !thread.isAlive();
	}

	/**
	 * Raise the terms to those of a re-entrant holder; no term gets less.
	 * @return the terms before
	 */
	LockTerms extend(LockTerms wanted) {
		LockTerms before = this.terms;
		this.terms = before.orMore(wanted);
		return before;
	}

	/** Set the terms of an extend. Called under the monitor of the queue. */
	void terms(LockTerms changed) {
		this.terms = changed;
	}

	LockTerms terms() {
		return this.terms;
	}

	long ttlNanos() {
		return this.terms.ttlNanos();
	}

	/** Return the time-out of a command: an answer after the ttl is of no use. */
	long patience() {
		return Math.min(instance().commandTimeoutNanos(), ttlNanos());
	}

	long validUntil() {
		return this.state;
	}

	/** Return the time when the holder got the lock. */
	long acquiredAt() {
		return this.acquiredAt;
	}

	Duration heldFor(long now) {
		return Duration.ofNanos(now - this.acquiredAt);
	}

}
