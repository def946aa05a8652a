package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.timer.HeapTimer;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a lock by this instance, from the first attempt to its end. Its
 * state is one word, changed by compare-and-set only: the end of its validity while it is
 * held, a negative number otherwise, which says why if the lock was lost. Its timer is
 * the next renewal or the end of the validity.
 * <p>
 * {@code ACQUIRING → held → RELEASING → RELEASED}, or {@code LOST}, or {@code ABANDONED}.
 */
final class Grant extends HeapTimer {

	static final long ACQUIRING = -1;

	static final long RELEASING = -2;

	static final long RELEASED = -3;

	static final long ABANDONED = -4;

	/** Lost for the first reason; of the others one less each. */
	static final long LOST = -5;

	/** A renewal comes after a third of the lease. */
	private static final int MARKS_PER_LEASE = 6;

	private static final LossReason[] REASONS = LossReason.values();

	private static final AtomicLongFieldUpdater<Grant> WORD = AtomicLongFieldUpdater.newUpdater(Grant.class, "word");

	private static final AtomicIntegerFieldUpdater<Grant> TOLD = AtomicIntegerFieldUpdater.newUpdater(Grant.class,
			"told");

	final KeyQueue queue;

	/** The identity that this instance had then; it has the other half of the request. */
	private final RequestIds requestIds;

	/** The half of the request id that differs from grant to grant. */
	private final long sequenceBits;

	private final Duration keepFor;

	private volatile long word = ACQUIRING;

	private volatile int told;

	private volatile long ttlNanos;

	private volatile boolean renew;

	private volatile @Nullable Object owner;

	/**
	 * The thread that acquired a lease without an owner, so that a thread that waits for
	 * its own lease can be told so.
	 */
	private volatile @Nullable Thread acquirer;

	/**
	 * When the request was drawn or before, or the last command was sent that succeeded.
	 */
	private volatile long confirmedAt;

	private volatile boolean used;

	/** How the renewals so far were marked and failed; guarded by the grant. */
	private Marked marked = Marked.NOT_YET;

	private long token;

	private long acquiredAt;

	private long maxHoldAt;

	/** The innermost lease on this grant; guarded by the queue. */
	private @Nullable GrantLease leases;

	/** How many leases there are; guarded by the queue. */
	private int holds;

	/**
	 * Create a grant; the time is read before the request is numbered.
	 * @param before what the same caller goes on after, if anything
	 */
	Grant(KeyQueue queue, long drawnAt, RequestIds requestIds, @Nullable Grant before, LockTerms terms) {
		this.queue = queue;
		this.requestIds = requestIds;
		this.sequenceBits = requestIds.next(queue, before).sequenceBits();
		this.keepFor = terms.keepFor();
		this.ttlNanos = terms.ttlNanos();
		this.confirmedAt = drawnAt;
	}

	/** The store has given the lock. Called once, before anybody sees the grant. */
	void hold(long token, long sentAt, long now, long validUntil, Waiter first) {
		this.token = token;
		this.acquiredAt = now;
		this.confirmedAt = sentAt;
		this.renew = first.terms.renew();
		this.owner = first.owner;
		this.acquirer = (first.owner == null) ? first.thread() : null;
		this.maxHoldAt = now + first.terms.maxHoldNanos();
		WORD.compareAndSet(this, ACQUIRING, validUntil);
	}

	Engine engine() {
		return this.queue.engine();
	}

	LockMode mode() {
		return this.queue.mode();
	}

	RequestId request() {
		return this.requestIds.of(this.sequenceBits);
	}

	/** The request has ended for the store as well, as far as is known here. */
	void requestEnded() {
		this.requestIds.ended(request());
	}

	/** Another process of the same image may hold the lock by this request. */
	void requestLost() {
		this.requestIds.lost(request());
	}

	boolean abandon() {
		engine().queues().ends(this);
		return WORD.compareAndSet(this, ACQUIRING, ABANDONED);
	}

	boolean isAcquiring() {
		return this.word == ACQUIRING;
	}

	boolean isLost() {
		return this.word <= LOST;
	}

	/**
	 * Whether the lock is neither lost nor given back; notices the end of the validity.
	 * It may be in doubt.
	 */
	boolean isHeld(long now) {
		while (true) {
			long validUntil = this.word;
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
		return engine().doubt.covers(this.confirmedAt);
	}

	long remainingNanos(long now) {
		return isConfirmed(now) ? Math.max(0, this.word - now) : 0;
	}

	synchronized void renewalFailed(LockStoreException failure) {
		this.marked = this.marked.withFailure(failure);
	}

	/** Why the lease could not be renewed, if that is why it ran out. */
	synchronized @Nullable LockStoreException renewalFailure() {
		return (lossReason() == LossReason.EXPIRED) ? this.marked.failure : null;
	}

	/**
	 * The store has confirmed a renewal. A lease that has run out stays lost. Where the
	 * clock is in doubt, only what the renewal gives counts; once that is known, nothing
	 * counts that a renewal of before gave.
	 * @param sentAt when the renewal was sent
	 */
	boolean extend(long now, long sentAt, long validUntil) {
		renewalSucceeded();
		boolean inDoubt = isInDoubt();
		boolean tooOld = engine().doubt.covers(sentAt);
		while (isHeld(now)) {
			long current = this.word;
			long next = (inDoubt == tooOld) ? Math.max(current, validUntil) : tooOld ? current : validUntil;
			if (current >= 0 && WORD.compareAndSet(this, current, next)) {
				this.confirmedAt = Math.max(this.confirmedAt, sentAt);
				return true;
			}
		}
		return false;
	}

	private synchronized void renewalSucceeded() {
		if (this.marked.failure != null) {
			this.marked = this.marked.withFailure(null);
		}
	}

	/**
	 * The marks for a renewal that is sent now. One that is repeated, or follows the one
	 * before soon, has the same marks: those that a node of a quorum or a replica has
	 * last seen must not be pushed out. But after a jump of a clock another process may
	 * send the same. Once the holder has left there are no new marks, so that its release
	 * knows them all.
	 */
	synchronized RenewalMarks markRenewal(long now) {
		long since = engine().doubt.since();
		Marked last = this.marked;
		boolean due = last.open == 0 && now - last.at >= this.ttlNanos / MARKS_PER_LEASE;
		if (this.word >= 0 && (due || since != last.since)) {
			this.marked = new Marked(last.marks.with(engine().newMark(), last.open), last.open + 1, since, now,
					last.failure);
		}
		return this.marked.marks;
	}

	/** The store has confirmed a renewal with these marks. */
	synchronized void markConfirmed(RenewalMarks confirmed) {
		if (confirmed.equals(this.marked.marks)) {
			this.marked = new Marked(confirmed, 0, this.marked.since, this.marked.at, this.marked.failure);
		}
	}

	synchronized RenewalMarks marks() {
		return this.marked.marks;
	}

	/** From here on the holder has left. Fails if the lease was lost. */
	boolean beginRelease(long now) {
		while (isHeld(now)) {
			long current = this.word;
			if (current >= 0 && WORD.compareAndSet(this, current, RELEASING)) {
				return true;
			}
		}
		return false;
	}

	/** False where the release was of a lease that had been lost. */
	boolean released() {
		return WORD.compareAndSet(this, RELEASING, RELEASED);
	}

	/** The store said at the release that somebody had taken the lock away before. */
	void lostAtRelease() {
		lose(RELEASING, LossReason.NOT_OWNER);
	}

	/** End a held grant. Happens at most once. */
	boolean lose(LossReason reason) {
		while (true) {
			long current = this.word;
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
		if (!WORD.compareAndSet(this, current, LOST - reason.ordinal())) {
			return false;
		}
		engine().loop().schedule(this, 0);
		return true;
	}

	private LossReason expiryReason(long now) {
		if (isOwnerDead()) {
			return LossReason.OWNER_ENDED;
		}
		return (now >= this.maxHoldAt && this.renew) ? LossReason.MAX_HOLD : expired();
	}

	LossReason lossReason() {
		long current = this.word;
		return (current <= LOST) ? REASONS[(int) (LOST - current)] : isInDoubt() ? LossReason.UNCONFIRMED : expired();
	}

	private LossReason expired() {
		return this.renew ? LossReason.EXPIRED : LossReason.NOT_RENEWED;
	}

	/** What the holder is told. */
	LockLostException loss(boolean bodyCompleted) {
		LockKeys keys = this.queue.keys();
		return new LockLostException(keys.name(), keys.text(), lossReason(), bodyCompleted, renewalFailure());
	}

	/** The time of the next renewal, or the end of the validity has come. */
	@Override
	public void fire(long now) {
		if (isHeld(now)) {
			engine().renewals().due(this, now);
		}
		else if (isLost() && TOLD.compareAndSet(this, 0, 1)) {
			engine().lost(this, lossReason());
		}
	}

	/** Nobody drives the loop any more, but a loss is told all the same. */
	@Override
	public void abort() {
		if (isLost()) {
			fire(engine().now());
		}
	}

	/**
	 * Set the timer, unless the grant has ended meanwhile: then the loop sees to that.
	 */
	void schedule(long due) {
		engine().loop().schedule(this, due);
		if (this.word < 0) {
			engine().loop().schedule(this, 0);
		}
	}

	boolean wantsRenewal(long now) {
		return this.renew && now < this.maxHoldAt && !isOwnerDead();
	}

	/**
	 * How long a renewal is to last: one that only confirms adds nothing to the lease.
	 */
	long renewalNanos(long now) {
		return wantsRenewal(now) ? this.ttlNanos : LockTerms.leaseNanos(Math.max(0, this.word - now));
	}

	private boolean isOwnerDead() {
		return this.owner instanceof Thread thread && !thread.isAlive();
	}

	/** Take over what a re-entrant holder wants more; nothing gets less. */
	boolean lengthen(LockTerms wanted) {
		boolean longer = wanted.ttlNanos() > this.ttlNanos;
		this.ttlNanos = Math.max(this.ttlNanos, wanted.ttlNanos());
		return longer;
	}

	/** Renew from here on if a re-entrant holder wants that and nobody did before. */
	boolean startRenewing(LockTerms wanted) {
		boolean starts = wanted.renew() && !this.renew;
		this.renew |= starts;
		return starts;
	}

	/** Something has run under the lock, so it is kept if that was asked for. */
	void use() {
		this.used = true;
	}

	boolean isUsed() {
		return this.used;
	}

	void enter(GrantLease lease) {
		lease.next = this.leases;
		this.leases = lease;
		this.holds++;
	}

	/**
	 * A lease has ended.
	 * @return whether it was the last one
	 */
	boolean exit(GrantLease lease) {
		if (this.leases == lease) {
			this.leases = lease.next;
		}
		else {
			for (GrantLease other = this.leases; other != null; other = other.next) {
				if (other.next == lease) {
					other.next = lease.next;
					break;
				}
			}
		}
		return --this.holds == 0;
	}

	/** Forget the owner once no lease belongs to it any more. */
	void disownUnlessOwned() {
		for (GrantLease lease = this.leases; lease != null; lease = lease.next) {
			if (lease.isOwned()) {
				return;
			}
		}
		engine().queues().disowned(this);
		this.owner = null;
	}

	@Nullable GrantLease leases() {
		return this.leases;
	}

	int holds() {
		return this.holds;
	}

	/** Whether a request of that owner may enter this grant. */
	boolean isOwnedBy(@Nullable Object requester) {
		Object holder = this.owner;
		if (requester == null || holder == null || requester == holder) {
			return requester != null && holder != null;
		}
		return (requester instanceof LockOwner asked) ? asked.enters(holder) : requester.equals(holder);
	}

	@Nullable Object owner() {
		return this.owner;
	}

	/** The owner, or the thread that has asked for a grant that belongs to no owner. */
	@Nullable Object holder() {
		Object holder = this.owner;
		return (holder != null) ? holder : this.acquirer;
	}

	/** Whether the thread has asked for this grant, which belongs to no owner. */
	boolean isUnboundOf(@Nullable Thread thread) {
		return thread != null && this.acquirer == thread;
	}

	long token() {
		return this.token;
	}

	Duration keepFor() {
		return this.keepFor;
	}

	long ttlNanos() {
		return this.ttlNanos;
	}

	long validUntil() {
		return this.word;
	}

	/** Whether the store has given the lock at this time or later. */
	boolean isYoungerThan(long time) {
		return this.acquiredAt >= time;
	}

	Duration heldFor(long now) {
		return Duration.ofNanos(now - this.acquiredAt);
	}

	/**
	 * How renewals were marked.
	 *
	 * @param marks the marks, the newest one first
	 * @param open how many of the newest ones the store has not confirmed
	 * @param since when the last jump of a clock was noticed before the newest one
	 * @param at when the newest one was drawn
	 * @param failure why the last renewal was not confirmed, until one is
	 */
	record Marked(RenewalMarks marks, int open, long since, long at, @Nullable LockStoreException failure) {

		private static final Marked NOT_YET = new Marked(RenewalMarks.NONE, 0, Long.MAX_VALUE, 0, null);

		private Marked withFailure(@Nullable LockStoreException cause) {
			return new Marked(this.marks, this.open, this.since, this.at, cause);
		}

	}

}
