package io.distributedlock.engine;

import java.util.Objects;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance who want the lock of a queue, first come first served.
 * Only the head talks to the store, and only while no grant of this instance holds the
 * lock; permits are asked for one after the other. Called under the monitor of the queue.
 */
final class Contention extends ContendedLine<KeyQueue> {

	Contention(KeyQueue queue) {
		super(queue);
	}

	/** Go on after the attempt of an only waiter. */
	Contention(KeyQueue queue, Attempt first) {
		this(queue);
		add(first.head);
		this.attempts = new AcquireAttempts(queue, first.grant);
		this.attempts.begun(first);
		if (first.answer != null) {
			this.attempts.awaiting(first, first.answer);
		}
		else {
			this.attempts.waits(first);
		}
	}

	boolean isEmpty() {
		return this.attempts == null && hasNone();
	}

	void join(Waiter waiter, AfterUnlock effects) {
		if (waiter.isOnce() && (this.queue.held != null || head() != null)) {
			addOnlooker(waiter);
			tellOnlookers(effects);
			effects.add(() -> waiter.endAt(waiter.startedAt + this.queue.instance().commandTimeoutNanos()));
		}
		else {
			add(waiter);
			contend(effects);
		}
	}

	/** Take a waiter out; false if it was not in. */
	boolean leave(Waiter waiter, AfterUnlock effects) {
		if (waiter != head()) {
			return remove(waiter);
		}
		removeHead();
		headLeft(effects);
		return true;
	}

	/** Let the onlookers know, once the lock is taken, or the store does not say. */
	private void tellOnlookers(AfterUnlock effects) {
		if (this.attempts != null && !this.attempts.isAnswered()) {
			return;
		}
		for (Waiter waiter : takeOnlookers()) {
			if (!this.queue.enterAgain(waiter, effects)) {
				Failure reason = this.queue.timeOutReason(waiter);
				effects.add(() -> waiter.settle(reason));
			}
		}
	}

	/**
	 * Let the head talk to the store if it may and does not yet. While the lock is held
	 * here, the store knows of no waiter: what ends the holder from outside should
	 * arrive, and is asked for in any case.
	 */
	void contend(AfterUnlock effects) {
		Waiter waiter = head();
		Grant held = this.queue.held;
		if (waiter != null && held != null && held.askLater()) {
			effects.add(held::advance);
			effects.add(this.queue.instance().store::listen);
		}
		if (waiter == null || this.attempts != null || held != null) {
			return;
		}
		try {
			this.attempts = new AcquireAttempts(this.queue, this.queue.newGrant(null, waiter.terms));
			long pause = this.queue.endTurn();
			if (pause > 0) {
				this.attempts.setAlarm(this.queue.instance().now() + pause);
				return;
			}
			attempt(this.attempts, effects);
		}
		catch (LockStoreException ex) {
			failAll(() -> Failure.ofStore(ex), effects);
		}
	}

	/** Do what the answer to an attempt means. */
	void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current == null || !current.landed(attempt)) {
			return;
		}
		long now = this.queue.instance().now();
		if (outcome instanceof AcquireOutcome.Granted granted) {
			granted(current, attempt, granted, now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Busy busy) {
			busy(current, attempt, busy, now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Refused) {
			attempt.refused(now);
			requestEnded(current, effects);
		}
		else if (failure(ex) instanceof ReplicasNotAcknowledgedException miss) {
			this.queue.instance().counters.failed(miss);
			current.missed(miss, now);
			takeBack(current, attempt, miss, effects);
		}
		else {
			failed(current, failure(ex), effects);
		}
	}

	private LockStoreException failure(@Nullable Throwable ex) {
		return Failure.ofStore(this.queue.instance().store, "acquire", this.queue.keys(), ex);
	}

	@Override
	void granted(AcquireAttempts current, Attempt attempt, AcquireOutcome.Granted answer, long now,
			AfterUnlock effects) {
		if (attempt.grant.isInDoubt()) {
			requestEnded(current, effects);
		}
		else if (now >= attempt.validUntil()) {
			failed(current, failure(null), effects);
		}
		else {
			Waiter winner = removeHead();
			attempt.given |= current.claim.isGiven();
			current.cancelAlarm();
			this.attempts = null;
			storeAnswered(now);
			effects.add(this.queue.hold(attempt, winner, answer, now));
			tellOnlookers(effects);
			contend(effects);
		}
	}

	private void busy(AcquireAttempts current, Attempt attempt, AcquireOutcome.Busy answer, long now,
			AfterUnlock effects) {
		storeAnswered(now);
		current.setAlarm(current.busy(answer, attempt.sentAt, now));
		if (takeClaim(current, effects)) {
			return;
		}
		tellOnlookers(effects);
		if (answer.ended()) {
			current.goOnAnew(current.terms());
		}
		Waiter waiter = Objects.requireNonNull(head());
		if (waiter.isOnce()) {
			settleHead(this.queue.busy(waiter), effects);
			headLeft(effects);
		}
		else if (current.grant().isInDoubt()) {
			requestEnded(current, effects);
		}
		else {
			leaveEntry(effects);
		}
	}

	/** The request has ended, or is in doubt: a single try fails, others ask anew. */
	private void requestEnded(AcquireAttempts current, AfterUnlock effects) {
		current.ended();
		if (headTriesOnce()) {
			settleHead(() -> failure(null), effects);
		}
		restart(effects);
	}

	/**
	 * The store has given a lock that its caller is not to get. It is free again before
	 * the caller is told or asks anew, which is part of the attempt and its time. The
	 * request that had it is never used again, so that its end can come late or twice.
	 */
	private void takeBack(AcquireAttempts current, Attempt attempt, LockStoreException miss, AfterUnlock effects) {
		current.setAlarm(attempt.overdueAt);
		boolean keepsPlace = this.queue.mode() == LockMode.FAIR && !headTriesOnce();
		current.goOnAnew(current.terms());
		Attempt pending = attempt(current, Objects.requireNonNull(head()), keepsPlace);
		effects.add(() -> EndCommand.replace(attempt.grant, pending.grant, pending.waiting)
			.thenRun(() -> this.queue.contended((waiting, more) -> {
				if (current.landed(pending)) {
					waiting.tryLater(current, miss, more);
				}
			})));
	}

	private void failed(AcquireAttempts current, LockStoreException failure, AfterUnlock effects) {
		current.failed(failure);
		afterFailure(current, failure, effects);
	}

	private void afterFailure(AcquireAttempts current, LockStoreException failure, AfterUnlock effects) {
		this.queue.instance().counters.failed(failure);
		boolean divided = this.queue.instance().offer.divides(this.queue.keys());
		if (divided || failure.getKind() == LockStoreException.Kind.MISCONFIGURED) {
			failAll(() -> Failure.ofStore(failure), effects);
		}
		else {
			tryLater(current, failure, effects);
		}
	}

	private void tryLater(AcquireAttempts current, LockStoreException failure, AfterUnlock effects) {
		current.setAlarm(current.backOff(this.queue.instance().now()));
		tellOnlookers(effects);
		if (headTriesOnce()) {
			settleHead(() -> Failure.ofStore(failure), effects);
			headLeft(effects);
		}
	}

	/** Fail all waiters. */
	void failAll(Failure reason, AfterUnlock effects) {
		settleAll(reason, effects);
		headLeft(effects);
	}

	/** The next waiter takes over what is under way, if that serves it as well. */
	private void headLeft(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		Waiter next = head();
		boolean served = next != null && current != null && current.terms().sameOnTheWire(next.terms)
				&& current.serves(next);
		if (served) {
			leaveEntry(effects);
		}
		else if (current != null && next != null && current.onlyWaits()) {
			// Without the end of a request, which would let readers overtake the head.
			boolean differs = !current.terms().sameOnTheWire(next.terms);
			current.goOnAnew(next.terms);
			if (differs) {
				current.cancelAlarm();
				attempt(current, effects);
			}
			leaveEntry(effects);
		}
		else if (current != null) {
			restart(effects);
		}
	}

	/** A caller that tried only once has left no entry for the one that takes over. */
	private void leaveEntry(AfterUnlock effects) {
		if (this.attempts != null && this.attempts.wantsEntry()) {
			this.attempts.cancelAlarm();
			attempt(this.attempts, effects);
		}
	}

	/** End the request under way, and begin another one for the next waiter. */
	private void restart(AfterUnlock effects) {
		if (this.attempts != null) {
			this.attempts.end(effects);
		}
		this.attempts = null;
		promoteOnlooker();
		contend(effects);
	}

	/**
	 * What was requested before a jump of a clock may be requested by another process,
	 * too. It is not used any more, in flight not after its answer.
	 */
	void doubted(AfterUnlock effects) {
		if (this.attempts != null && !this.attempts.isInFlight()) {
			requestEnded(this.attempts, effects);
		}
	}

	void alarm(Grant grant, long now, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current == null || current.grant() != grant || head() == null || current.isBeforeAlarm(now)) {
			return;
		}
		if (current.isInFlight()) {
			afterFailure(current, current.overdue(effects), effects);
		}
		else {
			attempt(current, effects);
		}
	}

}
