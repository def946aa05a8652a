package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one request to get its lock from the store: at most one in flight, and
 * when to make the next. The alarm, which is the timer of the grant, is when to attempt
 * again, or when an answer is overdue. Guarded by the queue.
 */
final class AcquireAttempts {

	/** No driver gives up on a connection, and sends a command again, earlier. */
	private static final long SENT_ONCE_NANOS = 20_000_000;

	/**
	 * While replicas lag, "busy" may be another instance that is about to roll back. For
	 * so many command time-outs the missing replicas are reported instead.
	 */
	private static final int MISS_COMMANDS = 2;

	private final GrantContext queue;

	final Pauses pauses;

	private Grant grant;

	private @Nullable Attempt inFlight;

	/** The answer to what is in flight, once that is on its way. */
	private @Nullable CompletableFuture<AcquireOutcome> answer;

	private boolean attempted;

	/** A wake-up has come while an attempt was in flight. */
	private boolean wokenUp;

	/** An attempt went unanswered, so the store may have given the lock. */
	private boolean mayHaveLock;

	/** The store has refused an attempt, and may have written part of it. */
	private boolean refused;

	/** The store was asked to keep a waiter entry of this instance. */
	private boolean entryLeft;

	/** The same before the attempt in flight. */
	private boolean entryLeftBefore;

	/** What a release may make of the request. */
	Claim claim = new Claim(null);

	private @Nullable LockStoreException failure;

	/** The store had the lock for this caller, but too few replicas had it as well. */
	private @Nullable ReplicasNotAcknowledgedException miss;

	private long missedAt;

	AcquireOutcome.@Nullable Busy lastBusy;

	/** When the alarm is meant to go off; one that comes earlier was set for the past. */
	private long alarmAt = Long.MAX_VALUE;

	AcquireAttempts(GrantContext queue, Grant grant) {
		this.queue = queue;
		this.pauses = new Pauses(queue.instance());
		this.grant = grant;
	}

	private Instance instance() {
		return this.queue.instance();
	}

	Grant grant() {
		return this.grant;
	}

	LockTerms terms() {
		return this.grant.terms();
	}

	/** Go on with another request, for a waiter entry that stays; so does the alarm. */
	void goOnAnew(LockTerms terms) {
		Grant ended = this.grant;
		long alarm = this.alarmAt;
		endHere();
		this.grant = this.queue.newGrant(ended, terms);
		if (alarm != Long.MAX_VALUE) {
			setAlarm(alarm);
		}
		this.claim = this.attempted ? new Claim(this.entryLeft ? ended : null) : this.claim;
		this.attempted = false;
		this.wokenUp = false;
		this.mayHaveLock = false;
		this.refused = false;
		this.pauses.goOnAnew();
	}

	private void endHere() {
		cancelAlarm();
		this.queue.abandoned(this.grant);
		this.grant.end();
	}

	void setAlarm(long due) {
		this.alarmAt = due;
		instance().loop.schedule(this.grant, due);
	}

	void cancelAlarm() {
		if (this.alarmAt != Long.MAX_VALUE) {
			this.alarmAt = Long.MAX_VALUE;
			instance().loop.cancel(this.grant);
		}
	}

	boolean isBeforeAlarm(long now) {
		return now < this.alarmAt;
	}

	boolean isInFlight() {
		return this.inFlight != null;
	}

	/** An attempt is made for the request, and perhaps on its way already. */
	Attempt begun(Attempt attempt) {
		this.inFlight = attempt;
		attempt.given = this.claim.attempted();
		this.attempted = true;
		this.entryLeftBefore = this.entryLeft;
		this.entryLeft |= attempt.leavesEntry();
		return attempt;
	}

	boolean expects(Attempt attempt) {
		return this.inFlight == attempt;
	}

	/** An attempt waits for its turn, unless that has come by now. */
	void waits(Attempt attempt) {
		if (this.inFlight == attempt && this.answer == null && attempt.hasPassage()) {
			setAlarm(attempt.overdueAt);
		}
	}

	boolean isAttempted() {
		return this.attempted;
	}

	/** An attempt is on its way, unless it has been answered by now. */
	void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> sent) {
		if (this.inFlight == attempt) {
			this.claim.asked(attempt.sentAt);
			this.answer = sent;
			setAlarm(attempt.overdueAt);
		}
	}

	/** Whether the request has certainly got no lock before another caller's call. */
	boolean serves(Waiter next) {
		if (!this.attempted || this.claim.askedSince(next.startedAt)) {
			return true;
		}
		Attempt sent = this.inFlight;
		boolean mayHaveLock = this.mayHaveLock || this.refused || Attempt.claimNanos(this.queue, terms()) > 0;
		return !mayHaveLock && (sent == null || (this.answer != null && next.startedAt <= sent.sentAt));
	}

	/** An attempt is over; false if it was given up before. */
	boolean landed(Attempt attempt) {
		boolean expected = this.inFlight == attempt;
		if (expected) {
			this.claim.asked(attempt.sentAt);
			this.inFlight = null;
			this.answer = null;
		}
		return expected;
	}

	/** No answer has come for so long. A miss is not forgotten. */
	private LockStoreException silence() {
		return (this.miss != null) ? this.miss
				: Failure.silence(instance().store, this.queue.keys(), this.grant.patience());
	}

	/** Whether anything is known: that the lock is taken, or that the store fails. */
	boolean isAnswered() {
		return this.lastBusy != null || failure() != null;
	}

	/** End the request, also at the store if that may have anything of it. */
	void end(AfterUnlock effects) {
		forget(effects);
		endHere();
		boolean unknown = this.claim.endDropped(effects) && !this.attempted;
		if (!unknown && (this.mayHaveLock || this.refused || this.entryLeft)) {
			effects.add(() -> EndCommand.abandon(this.grant, this.refused && !this.mayHaveLock));
		}
		else {
			this.grant.requestEnded();
		}
	}

	/** Give up on the attempt in flight. One that was never sent leaves nothing. */
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

	/** The attempt in flight is overdue, and was given up. */
	LockStoreException overdue(AfterUnlock effects) {
		forget(effects);
		LockStoreException silence = silence();
		this.failure = silence;
		return silence;
	}

	void failed(LockStoreException failure) {
		this.failure = failure;
		boolean refusal = failure.getKind() == LockStoreException.Kind.MISCONFIGURED;
		this.refused |= refusal;
		this.mayHaveLock |= !refusal;
	}

	/** What the store has granted is released, since too few replicas know. */
	void missed(ReplicasNotAcknowledgedException miss, long now) {
		this.miss = miss;
		this.missedAt = now;
		this.entryLeft = false;
	}

	/** The request has ended; of several locks it may still have some. */
	void ended() {
		this.mayHaveLock = true;
	}

	/**
	 * The lock is taken; when to attempt again. What was answered late may have been sent
	 * twice by the driver, and the other copy be on its way.
	 */
	long busy(AcquireOutcome.Busy answer, long sentAt, long now) {
		this.lastBusy = answer;
		this.claim.waits(sentAt);
		if (now - sentAt > SENT_ONCE_NANOS) {
			this.mayHaveLock = true;
		}
		this.failure = null;
		if (now - this.missedAt > MISS_COMMANDS * instance().commandTimeoutNanos()) {
			this.miss = null;
		}
		long pause = this.pauses.busy(answer.next() && this.miss == null);
		boolean woken = this.wokenUp;
		this.wokenUp = false;
		if (answer.ended() && (woken || answer.remaining().toNanos() < Pauses.FIRST_BACK_OFF_NANOS)) {
			// Requests that stood in each other's way should not do so again at once.
			return now + instance().jitter(Pauses.FIRST_BACK_OFF_NANOS);
		}
		return woken ? now : now + Math.min(pause, answer.remaining().toNanos() + 1_000_000);
	}

	/** Wake-ups may not arrive from here on. */
	void wakeUpsLost() {
		long soon = instance().now() + this.pauses.wakeUpsLost();
		if (!isInFlight() && soon < this.alarmAt) {
			setAlarm(soon);
		}
	}

	/** When to try again after a failure. */
	long backOff(long now) {
		this.wokenUp = false;
		return now + this.pauses.growing();
	}

	/** Whether a wake-up is for this request. */
	boolean isMeant(@Nullable String request) {
		return this.grant.isOf(request);
	}

	/** A release has given the lock to the request. */
	void claimed(long token) {
		this.mayHaveLock = true;
		this.claim.given(token);
	}

	/** What has got the lock that was given, or {@code null} to ask for it once more. */
	@Nullable Attempt takeClaim(Attempt.Asker asker, Waiter head, int spareTokens) {
		return this.claim.take(asker, this.grant, head, spareTokens);
	}

	/** The lock may have become free, or another request is before this one. */
	boolean wokenUp() {
		this.pauses.goOnAnew();
		this.wokenUp = isInFlight();
		return !isInFlight();
	}

	/** Whether an attempt is to leave an entry, which no one before has left. */
	boolean wantsEntry() {
		return !isInFlight() && !this.entryLeft;
	}

	/** Whether the store certainly has nothing of this request but the waiter entry. */
	boolean onlyWaits() {
		return !isInFlight() && !this.mayHaveLock && !this.refused;
	}

	/** Why there is no lock yet, other than that it is busy. A miss is not forgotten. */
	@Nullable LockStoreException failure() {
		return (this.miss != null) ? this.miss : this.failure;
	}

}
