package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.engine.timer.HeapTimer;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one request to get its lock from the store: at most one in flight, and
 * when to make the next. The timer is the alarm: when to attempt again, or when an answer
 * is overdue. Guarded by the queue.
 */
final class AcquireAttempts extends HeapTimer {

	/** No driver gives up on a connection, and sends a command again, earlier. */
	private static final long SENT_ONCE_NANOS = 20_000_000;

	private static final long FIRST_BACK_OFF_NANOS = 25_000_000;

	/**
	 * While replicas lag, "busy" may be another instance that is about to roll back. For
	 * so many command time-outs the missing replicas are reported instead.
	 */
	private static final int MISS_COMMANDS = 2;

	final KeyQueue queue;

	private Grant grant;

	private @Nullable Attempt inFlight;

	private boolean attempted;

	/** A wake-up has come while an attempt was in flight. */
	private boolean wokenUp;

	/** An attempt went unanswered, so the store may have given the lock. */
	private boolean mayHaveLock;

	/** The store has refused an attempt, and may have written part of it. */
	private boolean refused;

	/** The store was asked to keep a waiter entry of this instance. */
	private boolean entryLeft;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	private @Nullable LockStoreException failure;

	/** The store had the lock for this caller, but too few replicas had it as well. */
	private @Nullable ReplicasNotAcknowledgedException miss;

	private long missedAt;

	private AcquireOutcome.@Nullable Busy busy;

	/** When the alarm is meant to go off; one that comes earlier was set for the past. */
	private long alarmAt = Long.MAX_VALUE;

	AcquireAttempts(KeyQueue queue, Grant grant) {
		this.queue = queue;
		this.grant = grant;
	}

	Grant grant() {
		return this.grant;
	}

	LockTerms terms() {
		return this.grant.terms();
	}

	/** Go on with another request after this one, which keeps the alarm. */
	void goOnWith(Grant successor) {
		this.grant = successor;
		this.attempted = false;
		this.wokenUp = false;
		this.mayHaveLock = false;
		this.refused = false;
	}

	void setAlarm(long due) {
		this.alarmAt = due;
		this.queue.instance().loop.schedule(this, due);
	}

	void cancelAlarm() {
		if (this.alarmAt != Long.MAX_VALUE) {
			this.alarmAt = Long.MAX_VALUE;
			this.queue.instance().loop.cancel(this);
		}
	}

	boolean isBeforeAlarm(long now) {
		return now < this.alarmAt;
	}

	@Override
	public void fire(long now) {
		this.queue.contended((waiting, effects) -> waiting.alarm(this, now, effects));
	}

	boolean isInFlight() {
		return this.inFlight != null;
	}

	/**
	 * Begin the next attempt, to be run outside the monitor.
	 * @param head the waiter that it is made for
	 * @param leaveEntry whether the store is to keep a waiter entry if the lock is busy
	 */
	Attempt begin(Waiter head, boolean leaveEntry) {
		Attempt next = new Attempt(this, head, !this.attempted, leaveEntry);
		this.inFlight = next;
		this.attempted = true;
		this.entryLeft |= leaveEntry;
		return next;
	}

	/** The attempt is on its way, unless it has been answered by now. */
	void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer) {
		if (this.inFlight == attempt) {
			attempt.sent(answer);
			setAlarm(attempt.sentAt() + patience());
		}
	}

	/**
	 * An answer has come; false if it is that to an attempt which was given up.
	 */
	boolean landed(Attempt attempt) {
		if (this.inFlight != attempt) {
			return false;
		}
		this.inFlight = null;
		return true;
	}

	/** How long to wait for an answer. */
	long patience() {
		return Math.min(this.queue.instance().commandTimeoutNanos(), this.grant.ttlNanos());
	}

	/** No answer has come for so long. A miss is not forgotten. */
	LockStoreException silence() {
		return (this.miss != null) ? this.miss
				: Failure.silence(this.queue.instance().store, this.queue.keys(), patience());
	}

	/** Whether anything is known: that the lock is taken, or that the store fails. */
	boolean isAnswered() {
		return this.busy != null || failure() != null;
	}

	/** End the request, also at the store if that may have anything of it. */
	void end(Releases releases, AfterUnlock effects) {
		forget(effects);
		this.queue.abandon(this.grant);
		if (this.mayHaveLock || this.refused || this.entryLeft) {
			boolean onlyRefused = this.refused && !this.mayHaveLock;
			effects.add(() -> releases.abandon(this.grant, onlyRefused));
		}
		else {
			this.grant.requestEnded();
		}
	}

	/** Give up on the attempt in flight. */
	void forget(AfterUnlock effects) {
		Attempt forgotten = this.inFlight;
		if (forgotten != null) {
			this.inFlight = null;
			this.mayHaveLock = true;
			forgotten.cancel(effects);
		}
	}

	void failed(LockStoreException failure) {
		this.failure = failure;
		boolean refusal = failure.getKind() == LockStoreException.Kind.MISCONFIGURED;
		this.refused |= refusal;
		this.mayHaveLock |= !refusal;
	}

	/** What the store has given is taken back from it, since too few replicas know. */
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
		this.busy = answer;
		if (now - sentAt > SENT_ONCE_NANOS) {
			this.mayHaveLock = true;
		}
		this.failure = null;
		long poll = poll();
		if (now - this.missedAt > MISS_COMMANDS * this.queue.instance().commandTimeoutNanos()) {
			this.miss = null;
		}
		boolean woken = this.wokenUp;
		this.wokenUp = false;
		if (answer.ended() && (woken || answer.remaining().toNanos() < FIRST_BACK_OFF_NANOS)) {
			// Requests that have stood in each other's way should not do so again at
			// once.
			return now + this.queue.instance().jitter(FIRST_BACK_OFF_NANOS);
		}
		return woken ? now : now + Math.min(poll, answer.remaining().toNanos() + 1_000_000);
	}

	/**
	 * How long to wait if the lock stays taken. A wake-up ends that, if there are any.
	 */
	private long poll() {
		if (!this.queue.instance().offer.hasWakeUps()) {
			return growingPause();
		}
		this.backOffNanos = FIRST_BACK_OFF_NANOS;
		return this.queue.instance().jitter(this.queue.instance().settings.pollInterval().toNanos());
	}

	/** When to try again after a failure. */
	long backOff(long now) {
		this.wokenUp = false;
		return now + growingPause();
	}

	private long growingPause() {
		long pause = this.queue.instance().jitter(this.backOffNanos);
		this.backOffNanos = Math.min(this.backOffNanos * 2, this.queue.instance().settings.pollInterval().toNanos());
		return pause;
	}

	/** Whether a wake-up is for this request. */
	boolean isMeant(@Nullable String request) {
		return request == null || this.grant.request().toString().equals(request);
	}

	/** The lock may have become free; true if an attempt should be sent at once. */
	boolean wokenUp() {
		this.wokenUp = isInFlight();
		return !isInFlight();
	}

	boolean hasLeftEntry() {
		return this.entryLeft;
	}

	/** Whether the store certainly has nothing of this request but the waiter entry. */
	boolean onlyWaits() {
		return !isInFlight() && !this.mayHaveLock && !this.refused;
	}

	/** Why there is no lock yet, other than that it is busy. A miss is not forgotten. */
	@Nullable LockStoreException failure() {
		return (this.miss != null) ? this.miss : this.failure;
	}

	AcquireOutcome.@Nullable Busy lastBusy() {
		return this.busy;
	}

}
