package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a lock by this instance, from the first attempt to its end: its
 * request, its owner and the leases on it.
 */
final class Grant extends Validity {

	final GrantContext queue;

	/** The identity that this instance had then; it has the other half of the request. */
	private final RequestIds requestIds;

	/** The half of the request id that differs from grant to grant. */
	private final long sequenceBits;

	/** The owner, or else the thread that acquired, which may wait for itself. */
	private volatile @Nullable Object holder;

	private volatile boolean owned;

	private volatile boolean used;

	/** Written under the monitor of the grant. */
	private volatile @Nullable RenewalHistory renewals;

	/** Extends that wait for the one that was sent. Guarded by this. */
	private @Nullable Queue<Extend> waitingExtends;

	/** What an extend that has yet to be confirmed has found. */
	private volatile long formerTtlNanos;

	private long token;

	/** When the next renewal is due; its timer may be earlier, to plan it. */
	volatile long renewalDue;

	/**
	 * When the store is to be asked whether the lock is still held, if not only for a
	 * renewal. An answer to what was sent before is none.
	 */
	private volatile long askAt = Long.MAX_VALUE;

	/** The innermost lease on this grant; guarded by the queue. */
	private @Nullable GrantLease leases;

	/** How many leases there are; guarded by the queue. */
	private int holds;

	/** A grant whose caller may go on after another one: its place is taken over. */
	Grant(GrantContext queue, @Nullable Grant before, LockTerms terms) {
		// The time is read before the request is numbered.
		super(queue.instance().clock.doubtedAt(), terms);
		this.queue = queue;
		this.requestIds = queue.instance().requestIds();
		this.sequenceBits = draw(before).sequenceBits();
	}

	/** Go on with the request of a grant whose holder has left. */
	private Grant(Grant left, LockTerms terms) {
		super(left.confirmedAt, terms);
		this.queue = left.queue;
		this.requestIds = left.requestIds;
		this.sequenceBits = left.sequenceBits;
	}

	/**
	 * Let a waiter of this instance have the lock next, with the next token. The lease
	 * counts from when the store has granted it.
	 * @return the grant that holds it, or {@code null} if it was lost, may have been or
	 * was renewed: the marks of a renewal belong to its grant
	 */
	synchronized @Nullable Grant handOn(Waiter waiter, long now) {
		long validUntil = (this.renewals == null && !isToBeAsked(now)) ? leave(now, RELEASED) : -1;
		if (validUntil < 0) {
			return null;
		}
		Grant next = new Grant(this, waiter.terms);
		next.ownedBy(waiter.owner, waiter.thread(), this.token + 1);
		next.begin(waiter.terms, this.confirmedAt, now, validUntil);
		instance().sawToken(next.token);
		return next;
	}

	private RequestId draw(@Nullable Grant before) {
		if (before != null && before.requestIds == this.requestIds) {
			return this.requestIds.after(before.request());
		}
		if (before != null) {
			before.requestEnded();
		}
		return this.queue.isPlain() ? this.requestIds.next() : this.requestIds.nextBeside();
	}

	/** The holder. Called once, before the grant is visible to others. */
	void ownedBy(@Nullable Object owner, @Nullable Thread acquirer, long token) {
		this.holder = (owner != null) ? owner : acquirer;
		this.owned = owner != null;
		this.token = token;
	}

	@Override
	Instance instance() {
		return this.queue.instance();
	}

	@Override
	void alarm(long now) {
		this.queue.alarm(this, now);
	}

	@Override
	void due(long now) {
		this.queue.due(this, now);
	}

	@Override
	void lost(LossReason reason) {
		this.queue.lost(this, reason);
	}

	LockMode mode() {
		return this.queue.mode();
	}

	List<LockKey> keys() {
		return this.queue.keys();
	}

	RequestId request() {
		return this.requestIds.of(this.sequenceBits);
	}

	/** Whether it is the one that is meant, or all are. */
	boolean isOf(@Nullable String request) {
		return request == null || request().toString().equals(request);
	}

	/** The request has ended for the store as well, as far as is known here. */
	void requestEnded() {
		if (!this.queue.isPlain()) {
			this.requestIds.ended(request());
		}
	}

	/** Another process of the same image may hold the lock by this request. */
	void requestLost() {
		this.requestIds.lost(request());
	}

	/**
	 * A renewal has failed, or was confirmed; nothing counts after the release.
	 * @return whether the lease is endangered from here on
	 */
	synchronized boolean renewalFailed(@Nullable LockStoreException failure) {
		boolean before = renewals().endangered();
		if ((failure != null || this.renewals != null) && validUntil() != RELEASED) {
			this.renewals = renewals().withFailure(failure, validUntil() - now(), validUntil() - this.confirmedAt);
		}
		return !before && renewals().endangered();
	}

	/** The release was answered, or has failed. */
	void releaseAnswered(@Nullable LockStoreException failure) {
		if (failure != null || this.renewals != null) {
			synchronized (this) {
				this.renewals = renewals().withFailure(failure, -1, 0);
			}
		}
	}

	/** Why the lease could not be renewed or released, if that is how it has ended. */
	@Nullable LockStoreException renewalFailure() {
		boolean expired = validUntil() != RELEASING && lossReason() == LossReason.EXPIRED;
		return (expired || validUntil() == RELEASED) ? renewals().failure() : null;
	}

	/**
	 * The marks for a renewal that is sent now. Once the holder has left there are no new
	 * marks, so that its release knows them all.
	 */
	synchronized RenewalHistory markRenewal(long now) {
		long doubtedAt = instance().clock.doubtedAt();
		if (validUntil() >= 0 && renewals().wantsMark(now, ttlNanos(), doubtedAt)) {
			this.renewals = renewals().withMark(instance().requestIds().mark(), now, doubtedAt);
		}
		return renewals();
	}

	/**
	 * Mark an extend that is sent now. Renewals that are marked from here on are for its
	 * ttl, and those before it have no effect any more.
	 * @param keepFor how long the lock is kept from now on; {@code null} as before
	 * @return {@code null} if the lock is not held any more
	 */
	@Nullable Extended markExtend(Duration ttl, @Nullable Duration keepFor, long now) {
		synchronized (this.queue) {
			synchronized (this) {
				if (!limit(now, now + ttl.toNanos() - LockTerms.drift(ttl.toNanos()))) {
					return null;
				}
				LockTerms before = terms();
				this.formerTtlNanos = longestTtlNanos();
				terms(before.with(ttl, keepFor));
				RenewalHistory history = renewals().withExtend(instance().requestIds().mark(), now,
						instance().clock.doubtedAt());
				this.renewals = history;
				return new Extended(before, history);
			}
		}
	}

	/**
	 * An extend may have been applied or not: renewals are for the longer ttl, and the
	 * next one comes at once.
	 * @param before the terms before it
	 */
	void extendFailed(LockTerms before) {
		synchronized (this.queue) {
			terms(before.orMore(terms()));
		}
		long now = now();
		if (isHeld(now) && wantsRenewal(now)) {
			renewAt(now);
		}
	}

	/** Whether the store has yet to confirm the last marks, or what is held. */
	boolean isUnconfirmed() {
		return renewals().open() > 0 || isInDoubt();
	}

	/**
	 * The store has confirmed a command.
	 * @param sent what it was sent with
	 * @return false if that changes nothing: the lease has ended, or an extend was sent
	 * after it
	 */
	synchronized boolean confirmed(RenewalHistory sent, long sentAt, long validUntil) {
		this.renewals = renewals().confirmed(sent.marks());
		return !renewals().overtakes(sent) && extend(now(), sentAt, validUntil);
	}

	/**
	 * Let extends of this grant go one after the other.
	 * @return whether this is the first, which is to be sent now
	 */
	synchronized boolean queuesExtend(Extend extend) {
		if (this.waitingExtends != null) {
			this.waitingExtends.add(extend);
			return false;
		}
		this.waitingExtends = new ArrayDeque<>();
		return true;
	}

	/** The extend that was sent last is settled. */
	synchronized @Nullable Extend nextExtend() {
		Extend next = (this.waitingExtends != null) ? this.waitingExtends.poll() : null;
		if (next == null) {
			this.waitingExtends = null;
		}
		return next;
	}

	/** The store has the lease of the last extend, and none of before. */
	void extendConfirmed() {
		this.formerTtlNanos = 0;
	}

	/** The longest lease that the store may have. */
	long longestTtlNanos() {
		return Math.max(ttlNanos(), this.formerTtlNanos);
	}

	synchronized RenewalMarks marks() {
		RenewalHistory known = this.renewals;
		return (known != null) ? known.marks() : RenewalMarks.NONE;
	}

	RenewalHistory renewals() {
		RenewalHistory known = this.renewals;
		return (known != null) ? known : RenewalHistory.NONE;
	}

	/**
	 * Set the timer to when the next renewal is planned, or to the end of the validity. A
	 * jump of a clock may have set it meanwhile, and must not be overruled.
	 * @param sentAt when the last command was sent that the store has confirmed
	 */
	void scheduleRenewal(long sentAt) {
		asked(sentAt);
		planRenewal(sentAt);
	}

	/** As {@link #scheduleRenewal}, after a command that may yet be confirmed. */
	void planRenewal(long sentAt) {
		long planned = validUntil();
		long due = sentAt;
		if (wantsRenewal(now())) {
			long grid = Math.min(RenewalSlots.SLOT_NANOS, ttlNanos() / 30);
			due = Math.floorDiv(sentAt + Math.min(ttlNanos() / 3, (planned - sentAt) / 2), grid) * grid;
			planned = Math.min(due - LockTerms.renewalWindow(ttlNanos()), planned);
		}
		this.renewalDue = due;
		plan(planned);
		if (isInDoubt()) {
			renewAt(sentAt);
		}
	}

	/** Set the timer, or to when the store is to be asked before. */
	void plan(long due) {
		schedule(due);
		if (this.askAt < due) {
			advance();
		}
	}

	/** Have the timer fire when the store is to be asked, if it is set. */
	void advance() {
		instance().loop.advance(this, this.askAt);
	}

	/** The store may not have the lock any more, whatever it has answered so far. */
	void ask(long now) {
		synchronized (this.queue) {
			this.askAt = now;
		}
		if (validUntil() >= 0) {
			schedule(now);
		}
	}

	/**
	 * Callers wait here, whom no answer of the store reaches. The timer stays as it is.
	 * @return whether that is news
	 */
	boolean askLater() {
		boolean news = this.askAt == Long.MAX_VALUE;
		if (news) {
			this.askAt = now() + instance().askPause();
		}
		return news;
	}

	/** The store has said that the lock is held, asked at that time. */
	private void asked(long sentAt) {
		if (this.askAt <= sentAt) {
			synchronized (this.queue) {
				if (this.askAt <= sentAt) {
					this.askAt = this.queue.isAwaited() ? sentAt + instance().askPause() : Long.MAX_VALUE;
				}
			}
		}
	}

	/** Whether the store has to be asked now, for the sake of a renewal or not. */
	boolean isToBeAsked(long now) {
		return now >= this.askAt || isInDoubt();
	}

	/** Renew then, and not when it was planned. */
	void renewAt(long due) {
		this.renewalDue = due;
		plan(due);
	}

	/** What the holder is told. */
	LockLostException loss(boolean bodyCompleted) {
		return new LockLostException(keys().get(0).name(), LockKeys.text(keys()), lossReason(), bodyCompleted,
				renewalFailure());
	}

	/** Something has run under the lock, so it is kept if that was asked for. */
	void use() {
		this.used = true;
	}

	boolean isUsed() {
		return this.used;
	}

	/** A new lease for a waiter. */
	GrantLease enter(Waiter waiter) {
		boolean owned = waiter.owner != null;
		boolean tellsLoss = waiter.terms.whenLost() != WhenLost.IGNORE;
		GrantLease lease = (this.queue.isPlain() || waiter.keys.equals(keys())) ? new GrantLease(this, owned, tellsLoss)
				: new PartLease(this, owned, tellsLoss, waiter.keys);
		lease.next = this.leases;
		this.leases = lease;
		this.holds++;
		return lease;
	}

	/**
	 * A lease has ended.
	 * @return whether it was the last one
	 */
	boolean exit(GrantLease lease) {
		synchronized (this.queue) {
			this.leases = (this.leases == lease) ? lease.next : LeaseChain.without(lease, this.leases);
			return --this.holds == 0;
		}
	}

	/** Forget the owner once no lease belongs to it any more. */
	void disownUnlessOwned() {
		synchronized (this.queue) {
			if (!LeaseChain.hasOwned(this.leases)) {
				this.queue.disowned(this);
				this.owned = false;
				this.holder = null;
			}
		}
	}

	/** The leases, the innermost one first. */
	List<GrantLease> leases() {
		synchronized (this.queue) {
			return LeaseChain.list(this.leases);
		}
	}

	int holds() {
		return this.holds;
	}

	@Override
	@Nullable Object owner() {
		Object current = this.holder;
		return this.owned ? current : null;
	}

	/** The owner, or the thread that has asked for a grant that belongs to no owner. */
	@Nullable Object holder() {
		return this.holder;
	}

	long token() {
		return this.token;
	}

	/**
	 * An extend that was marked.
	 *
	 * @param before the terms before it
	 * @param history its marks
	 */
	record Extended(LockTerms before, RenewalHistory history) {
	}

}
