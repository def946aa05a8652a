package io.distributedlock.engine.internal.line;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one request to get its lock from the store: at most one is in flight.
 * The alarm, which is the timer of the grant, is the time of the next attempt, or the
 * time when an answer is overdue. Guarded by the queue.
 */
final class AcquireAttempts {

	/** Earlier than this, no driver gives up a connection and sends a command again. */
	private static final long SENT_ONCE_NANOS = 20_000_000;

	/**
	 * Number of command time-outs for which a miss is reported instead of "busy". While
	 * replicas lag, another instance may hold the lock only until it rolls back.
	 */
	private static final int MISS_COMMANDS = 2;

	/** A reserved lock is confirmed after this part of its lease. */
	private static final int PARTS_OF_LEASE = 3;

	/**
	 * Requests that follow signs of life come this part of a poll interval later: time
	 * for an answer that puts them off, but short, since the store may have forgotten
	 * them.
	 */
	private static final int PARTS_OF_POLL = 8;

	private final Instance instance;

	final Pauses pauses;

	/** The place of a fair request among others; {@code null} for other requests. */
	private final FairSigns.@Nullable Place<?> place;

	/**
	 * The row of signs with which its entry lasts, if the last answer said so: then the
	 * request is woken when its turn comes. Else zero.
	 */
	private long row;

	private Grant grant;

	private @Nullable Attempt inFlight;

	/** The answer to the attempt in flight; {@code null} until the attempt was sent. */
	private @Nullable CompletableFuture<AcquireOutcome> answer;

	private boolean attempted;

	/** An answer is known: the lock is taken, or the store fails. */
	private boolean answered;

	/** A wake-up has come while an attempt was in flight. */
	private boolean wokenUp;

	/** An attempt went unanswered, so the store may have given the lock. */
	private boolean mayHaveLock;

	/** The store has refused an attempt, and may have written part of it. */
	private boolean refused;

	/** The store was asked to keep a waiter entry of this instance. */
	private boolean entryLeft;

	/** The value of {@link #entryLeft} before the attempt in flight was made. */
	private boolean entryLeftBefore;

	/** The lock that a release may have given to the request. */
	Claim claim = new Claim(null);

	/** The store had the lock for this caller, but too few replicas had it as well. */
	private @Nullable ReplicasNotAcknowledgedException miss;

	private long missedAt;

	AcquireOutcome.@Nullable Busy lastBusy;

	/** Time when the alarm is due. An alarm that fires before it is an old one. */
	private long alarmAt = Long.MAX_VALUE;

	/**
	 * Create the attempts of a request.
	 * @param place the place of a fair request among others, {@code null} for others
	 */
	AcquireAttempts(Grant grant, FairSigns.@Nullable Place<?> place) {
		this.instance = grant.instance;
		this.pauses = new Pauses(grant.instance);
		this.grant = grant;
		this.place = place;
	}

	Grant grant() {
		return this.grant;
	}

	LockTerms terms() {
		return this.grant.terms();
	}

	/**
	 * Go on with a new request. The waiter entry in the store and the alarm stay.
	 * @param alarm what {@link #stop} has returned
	 */
	void goOnAnew(Grant next, long alarm) {
		Grant ended = this.grant;
		this.grant = next;
		if (alarm != Long.MAX_VALUE) {
			setAlarm(alarm);
		}
		this.claim = this.attempted ? new Claim(this.entryLeft ? ended : null) : this.claim;
		this.attempted = false;
		this.wokenUp = false;
		this.mayHaveLock = false;
		this.refused = false;
		this.row = 0;
		this.pauses.goOnAnew();
	}

	/** Cancel the alarm, and return the time for which it was set, if it was. */
	long stop() {
		long alarm = this.alarmAt;
		cancelAlarm();
		return alarm;
	}

	void setAlarm(long due) {
		this.alarmAt = due;
		this.instance.timers.schedule(this.grant, due);
	}

	void cancelAlarm() {
		if (this.alarmAt != Long.MAX_VALUE) {
			this.alarmAt = Long.MAX_VALUE;
			this.instance.timers.cancel(this.grant);
		}
	}

	boolean isBeforeAlarm(long now) {
		return now < this.alarmAt;
	}

	boolean isInFlight() {
		return this.inFlight != null;
	}

	/** Record an attempt for the request, which may be on its way already. */
	Attempt begun(Attempt attempt) {
		this.inFlight = attempt;
		attempt.given = this.claim.attempted();
		this.attempted = true;
		this.row = 0;
		this.entryLeftBefore = this.entryLeft;
		this.entryLeft |= attempt.leavesEntry();
		return attempt;
	}

	boolean expects(Attempt attempt) {
		return this.inFlight == attempt;
	}

	/**
	 * Set the alarm for an attempt that waits for its turn, unless that has come by now.
	 */
	void waits(Attempt attempt) {
		if (this.inFlight == attempt && this.answer == null && attempt.hasPassage()) {
			setAlarm(attempt.overdueAt);
		}
	}

	boolean isAttempted() {
		return this.attempted;
	}

	/** Set the alarm for an attempt that was sent, unless it has been answered by now. */
	void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> sent) {
		if (this.inFlight == attempt) {
			this.claim.asked(attempt.sentAt);
			this.answer = sent;
			setAlarm(attempt.overdueAt);
		}
	}

	/**
	 * Return whether the request serves another caller: it certainly has got no lock
	 * before the call of that one.
	 */
	boolean serves(Waiter next) {
		if (!this.attempted || this.claim.askedSince(next.startedAt)) {
			return true;
		}
		Attempt sent = this.inFlight;
		boolean mayHaveLock = this.mayHaveLock || this.refused || Attempt.claims(this.grant);
		return !mayHaveLock && (sent == null || (this.answer != null && next.startedAt <= sent.sentAt));
	}

	/** Record the end of an attempt; return false if the attempt was given up before. */
	boolean landed(Attempt attempt) {
		boolean expected = this.inFlight == attempt;
		if (expected) {
			this.claim.asked(attempt.sentAt);
			this.inFlight = null;
			this.answer = null;
		}
		return expected;
	}

	/**
	 * Return the failure of an attempt without an answer. An earlier miss outweighs it.
	 */
	private LockStoreException silence() {
		return (this.miss != null) ? this.miss
				: Failure.silence(this.instance.store, this.grant.keys(), this.grant.patience());
	}

	/** Return whether an answer is known: the lock is taken, or the store fails. */
	boolean isAnswered() {
		return this.answered;
	}

	/** Return whether the store may have given the lock, or keep an entry. */
	boolean mayBeKnown() {
		return this.mayHaveLock || this.refused || this.entryLeft;
	}

	/** Return whether the store has at most the waiter entry of a refused request. */
	boolean isOnlyRefused() {
		return this.refused && !this.mayHaveLock;
	}

	/** Give up the attempt in flight. An attempt that was never sent leaves nothing. */
	void forget(AfterUnlock effects) {
		CompletableFuture<AcquireOutcome> unanswered = this.answer;
		Attempt given = this.inFlight;
		if (given != null && given.withdraw()) {
			this.inFlight = null;
			this.entryLeft = this.entryLeftBefore;
			return;
		}
		this.mayHaveLock |= given != null && landed(given);
		if (given != null && unanswered != null) {
			effects.add(() -> given.giveUp(unanswered));
		}
	}

	/** Give up the attempt in flight, which is overdue, and return its failure. */
	LockStoreException overdue(AfterUnlock effects) {
		forget(effects);
		this.answered = true;
		return silence();
	}

	void failed(LockStoreException failure) {
		this.answered = true;
		boolean refusal = failure.getKind() == LockStoreException.Kind.MISCONFIGURED;
		this.refused |= refusal;
		this.mayHaveLock |= !refusal;
	}

	/** Record a miss: too few replicas have the granted lock, so it is released. */
	void missed(ReplicasNotAcknowledgedException miss, long now) {
		this.answered = true;
		this.miss = miss;
		this.missedAt = now;
		this.entryLeft = false;
	}

	/** Record that the request has ended; it may still hold some of several locks. */
	void ended() {
		this.mayHaveLock = true;
	}

	/**
	 * Record a busy answer, and return the time of the next attempt. The driver may have
	 * sent an attempt with a late answer twice, so a copy may still be on its way.
	 */
	long busy(AcquireOutcome.Busy answer, long sentAt, long now) {
		this.answered = true;
		this.lastBusy = answer;
		this.claim.waits(sentAt);
		if (now - sentAt > SENT_ONCE_NANOS) {
			this.mayHaveLock = true;
		}
		if (now - this.missedAt > MISS_COMMANDS * this.instance.commandTimeoutNanos()) {
			this.miss = null;
		}
		boolean next = answer.next() && this.miss == null;
		long pause = this.pauses.busy(next && this.place == null, terms().ttlNanos);
		if (!this.grant.plain && Attempt.claims(this.grant)) {
			// Locks of the set may be reserved, also if no message has said so.
			pause = Math.min(pause, terms().ttlNanos / PARTS_OF_LEASE);
		}
		boolean woken = this.wokenUp;
		this.wokenUp = false;
		if (answer.ended() && (woken || answer.remaining().toNanos() < Pauses.FIRST_BACK_OFF_NANOS)) {
			// Requests that blocked each other should not do so again at once.
			return now + this.instance.jitter(Pauses.FIRST_BACK_OFF_NANOS);
		}
		long due = woken ? now : now + Math.min(pause, answer.remaining().toNanos() + 1_000_000);
		if (this.place != null) {
			if (!woken) {
				this.place.busy();
			}
			if (next && !woken) {
				this.row = answer.row();
				this.place.sign(new FairSigns.Sign(due, this.row));
			}
		}
		return due;
	}

	/**
	 * Put off the next attempt of a fair request, if another one of this instance has
	 * attempted meanwhile: that was a sign of life for both, unless the store has
	 * forgotten one of them, so that their rows differ.
	 * @return {@code true} if the alarm is set anew
	 */
	boolean followsSign(long now) {
		FairSigns.Sign last = (this.place != null) ? this.place.lastSign() : null;
		if (last == null || last.row() != this.row || last.due() <= now) {
			return false;
		}
		// The one that has attempted attempts again at that time, unless it has left.
		setAlarm(last.due() + this.instance.jitter(this.instance.pollInterval.toNanos() / PARTS_OF_POLL));
		return true;
	}

	/** Attempt more often, since wake-ups may not arrive from here on. */
	void wakeUpsLost() {
		this.row = 0;
		long soon = this.instance.now() + this.pauses.wakeUpsLost();
		if (!isInFlight() && soon < this.alarmAt) {
			setAlarm(soon);
		}
	}

	/** Return the time of the next attempt after a failure. */
	long backOff(long now) {
		this.wokenUp = false;
		return now + this.pauses.growing();
	}

	/** Return whether a wake-up is for this request. */
	boolean isMeant(@Nullable String request) {
		return this.grant.isOf(request);
	}

	/** Record that a release has given the lock to the request. */
	void claimed(long token) {
		this.mayHaveLock = true;
		this.claim.given(token);
	}

	/**
	 * Return the attempt that has the claimed lock, or {@code null} to attempt once more.
	 */
	@Nullable Attempt takeClaim(Waiter head, int spareTokens) {
		return this.claim.take(this.grant, head, spareTokens);
	}

	/**
	 * Record a wake-up: the lock may be free, or another request is before this one.
	 * Return whether to attempt now.
	 */
	boolean wokenUp() {
		this.pauses.goOnAnew();
		this.wokenUp = isInFlight();
		return !isInFlight();
	}

	/**
	 * Return whether the next attempt should leave a waiter entry, since there is none.
	 */
	boolean wantsEntry() {
		return !isInFlight() && !this.entryLeft;
	}

	/** Return whether the store certainly has only the waiter entry of this request. */
	boolean onlyWaits() {
		return !isInFlight() && !this.mayHaveLock && !this.refused;
	}

	/** Return the last miss, if it prevents the lock. */
	@Nullable LockStoreException miss() {
		return this.miss;
	}

}
