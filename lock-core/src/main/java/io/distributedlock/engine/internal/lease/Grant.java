package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Supplier;

import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The record of one acquisition, from the first attempt of its request to its end. It has
 * the request, the owner, the token and the leases: several if the owner has entered the
 * lock again. Its state is one number that changes by compare-and-set:
 * <ul>
 * <li>{@code ACQUIRING}: the request is contended for.</li>
 * <li>Held: zero or more, the end of the validity. Set under the monitor of the queue;
 * renewals and extends move it.</li>
 * <li>{@code RELEASING}: the last lease was closed, and the closing thread sends the
 * release.</li>
 * <li>{@code RELEASED}: the release was answered or is overdue, or the lock went on.</li>
 * <li>{@code ABANDONED}: the request ended without a lock.</li>
 * <li>{@code LOST} or less: lost. There are three ways to that: its validity has ended,
 * which any {@link #isHeld} may notice; {@link #lose(LossReason)}, after the answer to a
 * renewal or at a shutdown; {@link #lostAtRelease}. The thread that notices it first sets
 * this, under any monitor or none.</li>
 * </ul>
 * No renewal changes the state of a grant that has ended. A loss of a held grant is
 * notified once, by the timer of the grant: the thread that drives the timers notifies
 * each open hold, the innermost first. A hold that is closed before that notifies itself
 * of the loss on the closing thread. After the answer to a release no hold is open, so
 * only the closer and observers are notified.
 * <p>
 * The owner, the terms, the leases and {@code askAt} change under the monitor of the
 * queue. Renewals and extends change under that of the grant. A thread that needs both
 * takes that of the queue first.
 * <p>
 * A held grant may be in doubt: a clock has jumped since the last confirmed command was
 * sent. That is no loss, but the store then has to confirm the lock. A hand-off makes a
 * new grant with the same request and the next token.
 */
public abstract class Grant extends HeapTimer {

	static final long ACQUIRING = -1;

	public static final long RELEASING = -2;

	public static final long RELEASED = -3;

	static final long ABANDONED = -4;

	/**
	 * {@code LOST} minus the reason's ordinal; minus the number of reasons as well once
	 * the holder was notified.
	 */
	static final long LOST = -5;

	private static final LossReason[] REASONS = LossReason.values();

	private static final AtomicLongFieldUpdater<Grant> STATE = AtomicLongFieldUpdater.newUpdater(Grant.class, "state");

	public final Instance instance;

	/** The key, or the list of several. */
	private final Object target;

	private final LockMode mode;

	/** {@code true} for the exclusive lock of a single key. */
	public final boolean plain;

	/** The queue, of which only the monitor is used here. */
	protected final Object queue;

	/**
	 * {@code true} while callers of this instance wait for the end of this held grant.
	 * Guarded by the queue.
	 */
	private boolean awaited;

	private volatile long state = ACQUIRING;

	private volatile LockTerms terms;

	/**
	 * Send time of the last confirmed command; at first the last clock jump before the
	 * request was drawn.
	 */
	private volatile long confirmedAt;

	private long acquiredAt;

	/** The source of the request id: the identity that this instance had at that time. */
	private final RequestIds requestIds;

	/** The half of the request id that differs from request to request. */
	private final long sequenceBits;

	/** The owner; without one, the acquiring thread, which might wait for itself. */
	private volatile @Nullable Object holder;

	private volatile boolean owned;

	private volatile boolean used;

	/** Written under the monitor of the grant. */
	private volatile @Nullable RenewalHistory renewals;

	/** Its extends; {@code null} until there is one. */
	private volatile @Nullable Extends extended;

	private long token;

	/**
	 * Due time of the next renewal. The timer fires at the start of the renewal window
	 * before it. Without a renewal, a time in the past.
	 */
	private volatile long renewalDue;

	/**
	 * Time from which the store has to confirm the lock, even if no renewal is due. The
	 * answer to a command that was sent earlier extends the lease, but does not settle
	 * this. Written under the monitor of the queue.
	 */
	private volatile long askAt = Long.MAX_VALUE;

	/** The innermost hold; guarded by the queue. */
	private @Nullable Hold first;

	/** Number of holds; guarded by the queue. */
	private int holds;

	/**
	 * Create a grant for a new request.
	 * @param queue the queue, under whose monitor it changes
	 * @param target the key, or the list of several keys or of those of another mode
	 * @param before the grant whose place it takes over, if any
	 */
	public Grant(Instance instance, Object queue, Object target, LockMode mode, @Nullable Grant before,
			LockTerms terms) {
		this.instance = instance;
		this.queue = queue;
		this.target = target;
		this.mode = mode;
		this.plain = target instanceof LockKey;
		// The time is read before the request is numbered.
		this.confirmedAt = instance.clock.doubtedAt();
		this.terms = terms;
		this.requestIds = instance.requestIds();
		this.sequenceBits = draw(before).sequenceBits();
	}

	/** Create a grant that goes on with the request of a holder who has left. */
	public Grant(Grant left, LockTerms terms) {
		this.instance = left.instance;
		this.queue = left.queue;
		this.target = left.target;
		this.mode = left.mode;
		this.plain = left.plain;
		this.confirmedAt = left.confirmedAt;
		this.terms = terms;
		this.requestIds = left.requestIds;
		this.sequenceBits = left.sequenceBits;
	}

	/**
	 * End the validity, because a waiter of this instance goes on with the request.
	 * @return the end of the validity, or a negative number if this grant is lost, must
	 * be confirmed or was renewed, since marks belong to one grant
	 */
	public synchronized long passOn(long now) {
		return (this.renewals == null && !isToBeAsked(now)) ? leave(now, RELEASED) : -1;
	}

	private RequestId draw(@Nullable Grant before) {
		if (before != null && before.requestIds == this.requestIds) {
			return this.requestIds.after(before.request());
		}
		if (before != null) {
			before.requestEnded();
		}
		return this.plain ? this.requestIds.next() : this.requestIds.nextBeside();
	}

	/** Set the holder. Called once, before the grant is visible to others. */
	public void ownedBy(@Nullable Object owner, @Nullable Thread acquirer, long token) {
		this.holder = (owner != null) ? owner : acquirer;
		this.owned = owner != null;
		this.token = token;
	}

	public long now() {
		return this.instance.clock.nanos();
	}

	/** Hold the lock from now on. Called once, before the grant is visible to others. */
	public void begin(LockTerms holder, long sentAt, long now, long validUntil) {
		this.terms = holder;
		this.acquiredAt = now;
		this.confirmedAt = sentAt;
		STATE.compareAndSet(this, ACQUIRING, validUntil);
	}

	/** End the request, which has no lock; return false if its state is another one. */
	public boolean end() {
		return STATE.compareAndSet(this, ACQUIRING, ABANDONED);
	}

	public boolean isLost() {
		return this.state <= LOST;
	}

	/**
	 * Return whether the lock is held, and lose it if the validity has ended. The grant
	 * may be in doubt.
	 */
	public boolean isHeld(long now) {
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
	public boolean isConfirmed(long now) {
		return isHeld(now) && !isInDoubt();
	}

	/**
	 * Return whether a clock has jumped since the last confirmed command was sent, or
	 * since the request was drawn.
	 */
	public boolean isInDoubt() {
		return this.instance.clock.doubts(this.confirmedAt);
	}

	public long remainingNanos(long now) {
		return isConfirmed(now) ? Math.max(0, this.state - now) : 0;
	}

	/**
	 * Extend the lease by a confirmed renewal. An expired lease stays lost. After a jump
	 * of the clock the first renewal that was sent since then sets the end of the lease
	 * anew. A renewal that was sent before the jump does not end the doubt.
	 * @param sentAt the send time of the renewal
	 */
	public boolean extend(long now, long sentAt, long validUntil) {
		boolean inDoubt = isInDoubt();
		boolean tooOld = this.instance.clock.doubts(sentAt);
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
	public long leave(long now, long next) {
		while (isHeld(now)) {
			long current = this.state;
			if (current >= 0 && STATE.compareAndSet(this, current, next)) {
				return current;
			}
		}
		return -1;
	}

	/**
	 * Mark the grant as released; return false if it was lost, or is released already.
	 */
	public boolean released() {
		return STATE.compareAndSet(this, RELEASING, RELEASED);
	}

	/** The store has answered the release that the lock was lost before. */
	public void lostAtRelease(Ownership answer) {
		lose(RELEASING, lossReason(answer));
	}

	/** Return the reason for a loss that the store has reported. */
	public LossReason lossReason(Ownership answer) {
		return (answer == Ownership.EXPIRED) ? expiryReason(now()) : LossReason.NOT_OWNER;
	}

	/** Lose a held grant. Happens at most once. */
	public boolean lose(LossReason reason) {
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

	/**
	 * Lose the grant. Its timer notifies the holds, since a caller may be under any
	 * monitor.
	 */
	private boolean lose(long current, LossReason reason) {
		if (!STATE.compareAndSet(this, current, LOST - reason.ordinal())) {
			return false;
		}
		this.instance.timers.schedule(this, 0);
		return true;
	}

	/** Return why the validity has ended, which was noticed now. */
	private LossReason expiryReason(long now) {
		if (isOwnerDead()) {
			return LossReason.OWNER_ENDED;
		}
		return (isHeldToTheEnd(now) && this.terms.renew) ? LossReason.MAX_HOLD : expired();
	}

	/**
	 * Return the reason for the loss; for a held grant the reason if it were lost now.
	 */
	public LossReason lossReason() {
		long current = this.state;
		return (current <= LOST) ? REASONS[(int) (LOST - current) % REASONS.length]
				: isInDoubt() ? LossReason.UNCONFIRMED : expired();
	}

	private LossReason expired() {
		return this.terms.renew ? LossReason.EXPIRED : LossReason.NOT_RENEWED;
	}

	/** Return whether the request is still contended for. */
	public boolean isAcquiring() {
		return this.state == ACQUIRING;
	}

	/**
	 * Claim the notification of the holders of a loss.
	 * @return {@code true} once after a loss
	 */
	public boolean claimNotification() {
		long current = this.state;
		boolean untold = current <= LOST && current > LOST - REASONS.length;
		return untold && STATE.compareAndSet(this, current, current - REASONS.length);
	}

	/** Set the timer, which fires at once if the grant is not held (any more). */
	public void schedule(long due) {
		this.instance.timers.schedule(this, due);
		if (this.state < 0) {
			this.instance.timers.schedule(this, 0);
		}
	}

	public boolean wantsRenewal(long now) {
		return this.terms.renew && !isHeldToTheEnd(now) && !isOwnerDead();
	}

	private boolean isHeldToTheEnd(long now) {
		return now - this.acquiredAt >= this.terms.maxHoldNanos;
	}

	/** Return the ttl of a renewal: one that only confirms adds nothing to the lease. */
	public long renewalNanos(long now) {
		return wantsRenewal(now) ? this.terms.ttlNanos : LockTerms.leaseNanos(Math.max(0, this.state - now));
	}

	/** Return whether the thread that owns the lease has ended. */
	boolean isOwnerDead() {
		return owner() instanceof Thread thread && !thread.isAlive();
	}

	/**
	 * Raise the terms to those of a re-entrant holder; no term gets less. Called under
	 * the monitor of the queue.
	 * @return the terms before
	 */
	public LockTerms extend(LockTerms wanted) {
		LockTerms before = this.terms;
		this.terms = before.orMore(wanted);
		return before;
	}

	/** Set the terms of an extend. Called under the monitor of the queue. */
	public void terms(LockTerms changed) {
		this.terms = changed;
	}

	public LockTerms terms() {
		return this.terms;
	}

	public long ttlNanos() {
		return this.terms.ttlNanos;
	}

	/** Return the time-out of a command: an answer after the ttl is of no use. */
	public long patience() {
		return Math.min(this.instance.commandTimeoutNanos(), this.terms.ttlNanos);
	}

	/** Return the end of the validity, or the state as a negative number. */
	public long validUntil() {
		return this.state;
	}

	/**
	 * Return the send time of the last confirmed command; at first the last clock jump
	 * before the request was drawn.
	 */
	public long confirmedAt() {
		return this.confirmedAt;
	}

	/**
	 * Return the due time of the next renewal; the timer may fire earlier, to choose the
	 * time.
	 */
	public long renewalDue() {
		return this.renewalDue;
	}

	/** Return the time when the holder got the lock. */
	public long acquiredAt() {
		return this.acquiredAt;
	}

	public Duration heldFor(long now) {
		return Duration.ofNanos(now - this.acquiredAt);
	}

	public LockMode mode() {
		return this.mode;
	}

	@SuppressWarnings("unchecked")
	public List<LockKey> keys() {
		return (this.target instanceof LockKey key) ? List.of(key) : (List<LockKey>) this.target;
	}

	public RequestId request() {
		return this.requestIds.of(this.sequenceBits);
	}

	/** Return whether this grant has the request; {@code null} stands for any request. */
	public boolean isOf(@Nullable String request) {
		return request == null || request().toString().equals(request);
	}

	/**
	 * Free the place of the request for later requests. The store has ended the request,
	 * as far as this instance knows. Exclusive requests for one key have no place.
	 */
	public void requestEnded() {
		if (!this.plain) {
			this.requestIds.ended(request());
		}
	}

	/**
	 * Avoid the place of the request: a process of the same image may hold the lock by
	 * it.
	 */
	void requestLost() {
		this.requestIds.lost(request());
	}

	/**
	 * Note the outcome of a renewal. Ignored once the release was answered.
	 * @param failure its failure; {@code null} if it was confirmed
	 * @return {@code true} if the lease is endangered from here on
	 */
	public synchronized boolean renewalFailed(@Nullable LockStoreException failure) {
		boolean before = renewals().endangered();
		if ((failure != null || this.renewals != null) && validUntil() != RELEASED) {
			this.renewals = renewals().withFailure(failure, validUntil() - now(), validUntil() - this.confirmedAt);
		}
		return !before && renewals().endangered();
	}

	/** Note that the release was answered, or has failed. */
	public void releaseAnswered(@Nullable LockStoreException failure) {
		if (failure != null || this.renewals != null) {
			synchronized (this) {
				this.renewals = renewals().withFailure(failure, -1, 0);
			}
		}
	}

	/**
	 * Return the failure of the release, or of the last renewal if the lease was lost
	 * because it has expired.
	 */
	public @Nullable LockStoreException renewalFailure() {
		boolean expired = isLost() && lossReason() == LossReason.EXPIRED;
		return (expired || validUntil() == RELEASED) ? renewals().failure() : null;
	}

	/**
	 * Return the marks for a renewal that is sent now. No new mark is added after the
	 * holder has left, so that its release knows them all.
	 */
	public synchronized RenewalHistory markRenewal(long now) {
		long doubtedAt = this.instance.clock.doubtedAt();
		if (validUntil() >= 0 && renewals().wantsMark(now, this.terms.ttlNanos, doubtedAt)) {
			this.renewals = renewals().withMark(this.instance.requestIds().mark(), now, doubtedAt);
		}
		return renewals();
	}

	/**
	 * Mark an extend that is sent now. Renewals that are marked from here on use its ttl;
	 * earlier ones have no effect any more.
	 * @param keepFor the time for which the lock is kept from now on; {@code null} as
	 * before
	 * @return {@code null} if the lock is not held any more
	 */
	public @Nullable Extended markExtend(Duration ttl, @Nullable Duration keepFor, long now) {
		synchronized (this.queue) {
			synchronized (this) {
				if (!limit(now, now + ttl.toNanos() - LockTerms.drift(ttl.toNanos()))) {
					return null;
				}
				LockTerms before = terms();
				ensureExtends().formerTtlNanos = longestTtlNanos();
				terms(before.with(ttl, keepFor));
				RenewalHistory history = renewals().withExtend(this.instance.requestIds().mark(), now,
						this.instance.clock.doubtedAt());
				this.renewals = history;
				return new Extended(before, history);
			}
		}
	}

	/**
	 * Handle a failed extend, which the store may have applied or not. Renewals use the
	 * longer ttl, and the next one is sent at once.
	 * @param before the terms before it
	 */
	public void extendFailed(LockTerms before) {
		synchronized (this.queue) {
			terms(before.orMore(terms()));
		}
		long now = now();
		if (isHeld(now) && wantsRenewal(now)) {
			renewAt(now);
		}
	}

	/** Return whether the store has yet to confirm the last marks, or the lock itself. */
	public boolean isUnconfirmed() {
		return renewals().open() > 0 || isInDoubt();
	}

	/**
	 * The store has confirmed a command.
	 * @param sent the history with which it was sent
	 * @return false if that does not extend the lease: it has ended, or an extend was
	 * sent after the command
	 */
	public synchronized boolean confirmed(RenewalHistory sent, long sentAt, long validUntil) {
		this.renewals = renewals().confirmed(sent.marks());
		return !renewals().overtakes(sent) && extend(now(), sentAt, validUntil);
	}

	private synchronized Extends ensureExtends() {
		Extends known = this.extended;
		if (known == null) {
			known = new Extends();
			this.extended = known;
		}
		return known;
	}

	/**
	 * Queue an extend, because those of one grant are sent one after the other.
	 * @param extend sends it, and returns its outcome
	 * @return {@code true} if none is under way, so that it has to be sent now
	 */
	public synchronized boolean startsExtend(Supplier<CompletableFuture<?>> extend) {
		Extends all = ensureExtends();
		if (all.underWay) {
			all.waiting.add(extend);
			return false;
		}
		all.underWay = true;
		return true;
	}

	/** Return the next extend to send, after the one before was settled. */
	public synchronized @Nullable Supplier<CompletableFuture<?>> nextExtend() {
		Extends all = ensureExtends();
		Supplier<CompletableFuture<?>> next = all.waiting.poll();
		all.underWay = next != null;
		return next;
	}

	/** Forget the ttl before the last extend, since the store has confirmed that one. */
	public void extendConfirmed() {
		ensureExtends().formerTtlNanos = 0;
	}

	/** Return the longest ttl that the lease may have in the store. */
	public long longestTtlNanos() {
		Extends all = this.extended;
		return (all != null) ? Math.max(this.terms.ttlNanos, all.formerTtlNanos) : this.terms.ttlNanos;
	}

	/**
	 * Return the marks of the renewals. The monitor makes sure that a release knows the
	 * mark of a renewal that is just being sent.
	 */
	public synchronized RenewalMarks marks() {
		RenewalHistory known = this.renewals;
		return (known != null) ? known.marks() : RenewalMarks.NONE;
	}

	public RenewalHistory renewals() {
		RenewalHistory known = this.renewals;
		return (known != null) ? known : RenewalHistory.NONE;
	}

	/**
	 * Set the timer to the time for which the next renewal is planned, or to the end of
	 * the validity. If a clock has jumped meanwhile, the renewal is due at once.
	 * @param sentAt the send time of the last command that the store has confirmed
	 */
	public void scheduleRenewal(long sentAt) {
		asked(sentAt);
		planRenewal(sentAt);
	}

	/**
	 * Set the timer like {@link #scheduleRenewal}. The store may not have confirmed the
	 * command yet. Under the monitor of the grant: an extend in between would leave the
	 * timer at a time after the new end.
	 */
	public synchronized void planRenewal(long sentAt) {
		long planned = validUntil();
		long due = sentAt;
		if (wantsRenewal(now())) {
			LockTerms current = this.terms;
			long ttl = current.ttlNanos;
			long grid = Math.min(LockTerms.SLOT_NANOS, ttl / 30);
			due = Math.floorDiv(sentAt + Math.min(ttl / 3, (planned - sentAt) / 2), grid) * grid;
			planned = Math.min(due - current.renewalWindowNanos, planned);
		}
		this.renewalDue = due;
		plan(planned);
		if (isInDoubt()) {
			renewAt(sentAt);
		}
	}

	/** Set the timer to a time, or to {@code askAt} if that comes first. */
	public void plan(long due) {
		schedule(due);
		if (this.askAt < due) {
			advance();
		}
	}

	/** Let the timer fire at {@code askAt} at the latest, if it is set. */
	public void advance() {
		this.instance.timers.advance(this, this.askAt);
	}

	/** Have the store confirm the lock, which it may have lost since its last answer. */
	public void ask(long now) {
		synchronized (this.queue) {
			this.askAt = now;
		}
		if (validUntil() >= 0) {
			schedule(now);
		}
	}

	/**
	 * Have the store confirm the lock after a pause: callers wait here, and send no
	 * attempts meanwhile. The timer stays as it is. Called under the monitor of the
	 * queue.
	 * @return {@code true} if no such time was set before
	 */
	public boolean askLater() {
		boolean news = this.askAt == Long.MAX_VALUE;
		if (news) {
			this.askAt = now() + this.instance.askPause();
		}
		return news;
	}

	/** The store has confirmed that the lock is held, asked at that time. */
	private void asked(long sentAt) {
		if (this.askAt <= sentAt) {
			synchronized (this.queue) {
				if (this.askAt <= sentAt) {
					this.askAt = this.awaited ? sentAt + this.instance.askPause() : Long.MAX_VALUE;
				}
			}
		}
	}

	/**
	 * Return whether the store has to confirm the lock now, with or without a renewal.
	 */
	public boolean isToBeAsked(long now) {
		return now >= this.askAt || isInDoubt();
	}

	/** Note whether callers wait here. Called under the monitor of the queue. */
	public void awaited(boolean now) {
		this.awaited = now;
	}

	/**
	 * Set the time of the next renewal, instead of the planned one. Under the monitor of
	 * the grant: a plan of before would overrule it.
	 */
	public synchronized void renewAt(long due) {
		this.renewalDue = due;
		plan(due);
	}

	/** Create the exception that notifies the holder of the loss. */
	public LockLostException loss(boolean bodyCompleted) {
		return new LockLostException(keys().get(0).name(), LockKeys.text(keys()), lossReason(), bodyCompleted,
				renewalFailure());
	}

	/** Create the exception that refuses the commit of a transaction after the loss. */
	public LockLostException lossBeforeCommit() {
		return LockLostException.beforeCommit(keys().get(0).name(), LockKeys.text(keys()), lossReason(),
				renewalFailure());
	}

	/** Note that code has run under the lock, so that its keepFor applies. */
	public void use() {
		this.used = true;
	}

	public boolean isUsed() {
		return this.used;
	}

	/**
	 * Add a hold. Called under the monitor of the queue.
	 * @param part the keys that its holder asked for; {@code null} for all of the grant
	 * @param owned {@code true} if it belongs to an owner
	 * @param failsAfterLoss {@code true} if closing its lease fails after a loss
	 */
	public Hold enter(@Nullable List<LockKey> part, boolean owned, boolean failsAfterLoss) {
		Hold entered = new Hold(this, part, owned, failsAfterLoss, this.first);
		this.first = entered;
		this.holds++;
		return entered;
	}

	/**
	 * Remove a hold that has ended.
	 * @return {@code true} if it was the last one
	 */
	public boolean exit(Hold hold) {
		synchronized (this.queue) {
			this.first = Hold.without(hold, this.first);
			return --this.holds == 0;
		}
	}

	/**
	 * Return whether a hold belongs to an owner. Called under the monitor of the queue.
	 */
	public boolean hasOwnedHold() {
		return Hold.hasOwned(this.first);
	}

	/** Forget the owner. Called under the monitor of the queue. */
	public void disown() {
		this.owned = false;
		this.holder = null;
	}

	/** The holds, the innermost one first. */
	public List<Hold> allHolds() {
		synchronized (this.queue) {
			return Hold.list(this.first);
		}
	}

	/** Return the number of holds. Called under the monitor of the queue. */
	public int holds() {
		return this.holds;
	}

	/** Return the owner. {@link #disown} writes the fields in the opposite order. */
	public @Nullable Object owner() {
		Object current = this.holder;
		return this.owned ? current : null;
	}

	/** Return the owner, or the acquiring thread of a grant without an owner. */
	public @Nullable Object holder() {
		return this.holder;
	}

	public long token() {
		return this.token;
	}

	/**
	 * An extend that was marked.
	 *
	 * @param before the terms before it
	 * @param history its marks
	 */
	public record Extended(LockTerms before, RenewalHistory history) {
	}

	/** The extends of a grant, of which few have any. */
	private static final class Extends {

		/** Those that wait for the one that was sent. Guarded by the grant. */
		private final Queue<Supplier<CompletableFuture<?>>> waiting = new ArrayDeque<>();

		/** Set while one is under way. Guarded by the grant. */
		private boolean underWay;

		/**
		 * The longest ttl before an unconfirmed extend, in nanoseconds; zero for none.
		 */
		private volatile long formerTtlNanos;

	}

}
