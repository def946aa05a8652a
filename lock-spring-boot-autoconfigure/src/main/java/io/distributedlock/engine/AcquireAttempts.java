package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Approach;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one grant to get its lock from the store: at most one in flight, and
 * when to try again. Every method but {@link #send} is called under the queue's monitor.
 */
final class AcquireAttempts {

	/** No driver gives up on a connection, and sends a command again, earlier. */
	private static final long SENT_ONCE_NANOS = 20_000_000;

	private static final long FIRST_BACK_OFF_NANOS = 25_000_000;

	/**
	 * How many poll intervals the word that this instance waits outlives the last one.
	 */
	private static final int WAITING_POLLS = 3;

	/**
	 * Where replicas do not confirm, whoever is told that the lock is busy waits for
	 * another one who misses them, too, and gives it back before so many commands have
	 * timed out. Who has it for longer has it.
	 */
	private static final int MISS_COMMANDS = 2;

	final Grant grant;

	final LockTerms terms;

	private final Engine engine;

	/** Of a reader the owner, who may hold the lock exclusively. */
	private final @Nullable Object reader;

	private @Nullable CompletableFuture<AcquireOutcome> flying;

	private int attempt;

	private boolean inFlight;

	private boolean lookAgain;

	/** An attempt went unanswered, so the store may have given the lock all the same. */
	private boolean uncertain;

	/** The store has refused an attempt, and may have written part of it. */
	private boolean refused;

	/** The store was told that this instance waits. */
	private boolean wordLeft;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	private @Nullable LockStoreException failure;

	/** The store had the lock for this caller, but too few replicas had it as well. */
	private @Nullable ReplicasNotAcknowledgedException miss;

	private long missedAt;

	private AcquireOutcome.@Nullable Busy busy;

	AcquireAttempts(Grant grant, Waiter head) {
		this(grant, head.terms, (head.terms.mode() == LockMode.READ) ? head.owner : null);
	}

	private AcquireAttempts(Grant grant, LockTerms terms, @Nullable Object reader) {
		this.grant = grant;
		this.terms = terms;
		this.reader = reader;
		this.engine = grant.engine();
	}

	/** Go on with another request after this one. */
	AcquireAttempts withRequest(Grant successor, LockTerms terms) {
		AcquireAttempts next = new AcquireAttempts(successor, terms, this.reader);
		next.wordLeft = this.wordLeft;
		next.busy = this.busy;
		next.failure = this.failure;
		next.miss = this.miss;
		next.missedAt = this.missedAt;
		next.backOffNanos = this.backOffNanos;
		return next;
	}

	boolean isInFlight() {
		return this.inFlight;
	}

	/** Take the next attempt, to be sent outside the monitor. */
	int begin(boolean leaveWord) {
		this.inFlight = true;
		this.wordLeft |= leaveWord;
		return ++this.attempt;
	}

	/** Send an attempt for the head of a queue. Called outside the monitor. */
	void send(int number, boolean leaveWord, KeyQueue queue, Waiter head) {
		Duration waiting = waiting(leaveWord);
		long sentAt = this.engine.now();
		CompletableFuture<AcquireOutcome> answer = head.lendThread(patience(),
				() -> this.engine.ask(() -> this.engine.store().acquire(command(queue.keys(), waiting))));
		if (!answer.isDone()) {
			queue.awaiting(this, number, answer, sentAt);
		}
		answer.whenComplete((outcome, ex) -> queue.answered(this, number, sentAt, outcome, ex));
	}

	/** How long the word is good that somebody waits, or zero for none. */
	Duration waiting(boolean leaveWord) {
		return leaveWord ? this.engine.settings().pollInterval().multipliedBy(WAITING_POLLS) : Duration.ZERO;
	}

	private AcquireCommand command(LockKeys keys, Duration waiting) {
		RequestId beside = (this.reader != null) ? this.engine.sets().beside(keys, this.reader) : null;
		return new AcquireCommand(keys.list(), this.grant.request(),
				new AcquireCommand.Kind(this.terms.mode(), this.terms.permits(), beside),
				new AcquireCommand.Times(this.terms.ttl(), this.terms.keepFor(), waiting), this.engine.highestToken(),
				Approach.IN_TURN);
	}

	/** The attempt is on its way, and may have been answered by now. */
	boolean isAwaiting(int number, CompletableFuture<AcquireOutcome> answer) {
		if (this.inFlight && this.attempt == number) {
			this.flying = answer;
			return true;
		}
		return false;
	}

	/**
	 * An answer has come; false if it is of an attempt that nobody waits for any more.
	 */
	boolean landed(int number) {
		if (!this.inFlight || this.attempt != number) {
			return false;
		}
		this.inFlight = false;
		this.flying = null;
		return true;
	}

	/** How long to wait for an answer. */
	long patience() {
		return Math.min(this.engine.store().commandTimeout().toNanos(), this.grant.ttlNanos());
	}

	/** No answer has come for so long. A miss is not forgotten. */
	LockStoreException silence() {
		return (this.miss != null) ? this.miss : this.engine.silence(this.grant.queue.keys(), patience());
	}

	/** Whether anything is known: that the lock is taken, or that the store fails. */
	boolean isAnswered() {
		return this.busy != null || failure() != null;
	}

	/** End the request, also at the store if that may have anything of it. */
	void end(AfterUnlock effects) {
		forget(effects);
		this.grant.abandon();
		if (needsAbandon()) {
			effects.add(() -> this.engine.abandon(this.grant, isOnlyRefused()));
		}
		else {
			this.grant.requestEnded();
		}
	}

	/** Give up on the attempt in flight. */
	void forget(AfterUnlock effects) {
		CompletableFuture<AcquireOutcome> forgotten = this.flying;
		if (this.inFlight) {
			this.uncertain = true;
			this.inFlight = false;
		}
		this.flying = null;
		if (forgotten != null) {
			effects.add(() -> forgotten.cancel(true));
		}
	}

	void failed(LockStoreException failure) {
		this.failure = failure;
		if (failure.getKind() == LockStoreException.Kind.MISCONFIGURED) {
			this.refused = true;
		}
		else {
			this.uncertain = true;
		}
	}

	/** What the store has given is taken back from it, since too few replicas know. */
	void missed(ReplicasNotAcknowledgedException miss, long now) {
		this.miss = miss;
		this.missedAt = now;
		this.wordLeft = false;
	}

	/** The request has ended; of several locks it may still have some. */
	void refused() {
		this.uncertain = true;
	}

	/**
	 * The store refuses what was sent once, and that within the lease: it knows a request
	 * that was not made here.
	 */
	void refused(int number, long sentAt, long now) {
		if (number == 1 && now - sentAt < this.grant.ttlNanos() - LockTerms.drift(this.grant.ttlNanos())) {
			this.engine.doubt.distrust();
		}
	}

	/**
	 * The lock is taken; when to look again. What was answered late may have been sent
	 * twice by the driver, and the other copy be on its way.
	 */
	long busy(AcquireOutcome.Busy busy, long sentAt, long now) {
		this.busy = busy;
		this.uncertain |= now - sentAt > SENT_ONCE_NANOS;
		this.failure = null;
		long poll = poll();
		if (now - this.missedAt > MISS_COMMANDS * this.engine.store().commandTimeout().toNanos()) {
			this.miss = null;
		}
		if (busy.ended() && (this.lookAgain || busy.remaining().toNanos() < FIRST_BACK_OFF_NANOS)) {
			// Those who have stood in each other's way should not do so again at once.
			this.lookAgain = false;
			return now + this.engine.jitter(FIRST_BACK_OFF_NANOS);
		}
		if (this.lookAgain) {
			this.lookAgain = false;
			return now;
		}
		return now + Math.min(poll, busy.remaining().toNanos() + 1_000_000);
	}

	/**
	 * How long to wait if the lock stays taken. A wake-up ends that, if there are any.
	 */
	private long poll() {
		if (!this.engine.offer.hasWakeUps()) {
			return growingPause();
		}
		this.backOffNanos = FIRST_BACK_OFF_NANOS;
		return this.engine.jitter(this.engine.settings().pollInterval().toNanos());
	}

	/** When to try again after a failure. */
	long backOff(long now) {
		this.lookAgain = false;
		return now + growingPause();
	}

	private long growingPause() {
		long pause = this.engine.jitter(this.backOffNanos);
		this.backOffNanos = Math.min(this.backOffNanos * 2, this.engine.settings().pollInterval().toNanos());
		return pause;
	}

	/** Whether a wake-up is for this request. */
	boolean isMeant(@Nullable String request) {
		return request == null || this.grant.request().toString().equals(request);
	}

	/** The lock may have become free; true if an attempt should be sent at once. */
	boolean wokenUp() {
		this.lookAgain = this.inFlight;
		return !this.inFlight;
	}

	boolean hasLeftWord() {
		return this.wordLeft;
	}

	/** Whether the store certainly has nothing of this request but the waiter entry. */
	boolean onlyWaits() {
		return !this.inFlight && !this.uncertain && !this.refused;
	}

	/** Whether the store must be told that this request has ended. */
	private boolean needsAbandon() {
		return this.uncertain || this.refused || this.wordLeft;
	}

	/** Whether the store has certainly not given the lock to this request. */
	private boolean isOnlyRefused() {
		return this.refused && !this.uncertain;
	}

	/** Why there is no lock yet, other than that it is busy. A miss is not forgotten. */
	@Nullable LockStoreException failure() {
		return (this.miss != null) ? this.miss : this.failure;
	}

	AcquireOutcome.@Nullable Busy lastBusy() {
		return this.busy;
	}

}
