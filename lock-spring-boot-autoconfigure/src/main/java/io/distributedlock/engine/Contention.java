package io.distributedlock.engine;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance who want the lock of a queue, first come first served.
 * Only the head talks to the store, and only while no grant of this instance holds the
 * lock. Permits of a semaphore are asked for one after the other, whatever is held.
 * Everything here is called under the monitor of the queue.
 */
final class Contention extends WaitingLine {

	private final KeyQueue queue;

	/** The request that is made for the head, unless the lock is held here. */
	private @Nullable AcquireAttempts attempts;

	Contention(KeyQueue queue) {
		this.queue = queue;
	}

	boolean isEmpty() {
		return this.attempts == null && hasNone();
	}

	@Nullable AcquireAttempts attempts() {
		return this.attempts;
	}

	void join(Waiter waiter, AfterUnlock effects) {
		if (waiter.isOnce() && (this.queue.isTaken() || head() != null)) {
			addOnlooker(waiter);
			tellOnlookers(effects);
			effects.add(() -> waiter.endAt(waiter.startedAt + this.queue.instance().commandTimeoutNanos()));
		}
		else {
			add(waiter);
			contend(effects);
		}
	}

	/**
	 * Take a waiter out.
	 * @return whether it was in
	 */
	boolean leave(Waiter waiter, AfterUnlock effects) {
		boolean first = waiter == head();
		boolean left = remove(waiter);
		if (first) {
			headLeft(effects);
		}
		return left;
	}

	/** Let the waiters in whose owners enter by now what the queue holds. */
	void enterAgain(AfterUnlock effects) {
		for (Waiter waiter : all()) {
			if (waiter.owner instanceof LockOwner && this.queue.enterAgain(waiter, effects)) {
				leave(waiter, effects);
			}
		}
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

	/** Let the head talk to the store if it may and does not yet. */
	void contend(AfterUnlock effects) {
		Waiter waiter = head();
		if (waiter != null && this.attempts == null && !this.queue.isTaken()) {
			try {
				attempt(new AcquireAttempts(this.queue, this.queue.newGrant(null, waiter.terms)), effects);
			}
			catch (LockStoreException ex) {
				failAll(() -> Failure.ofStore(ex), effects);
			}
		}
	}

	private void attempt(AcquireAttempts current, AfterUnlock effects) {
		Waiter waiter = Objects.requireNonNull(head());
		this.attempts = current;
		effects.add(current.begin(waiter, !waiter.isOnce()));
	}

	void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer) {
		if (this.attempts == attempt.attempts()) {
			attempt.attempts().awaiting(attempt, answer);
		}
	}

	/** Do what the answer to an attempt means. */
	void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex, AfterUnlock effects) {
		AcquireAttempts current = attempt.attempts();
		if (this.attempts != current || !current.landed(attempt)) {
			return;
		}
		long now = this.queue.instance().now();
		if (outcome instanceof AcquireOutcome.Granted granted) {
			granted(attempt, granted.token(), now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Busy busy) {
			busy(attempt, busy, now, effects);
		}
		else if (outcome instanceof AcquireOutcome.Refused) {
			attempt.refused(now);
			requestEnded(current, effects);
		}
		else {
			failed(attempt, failure(ex), now, effects);
		}
	}

	private LockStoreException failure(@Nullable Throwable ex) {
		return Failure.ofStore(this.queue.instance().store, "acquire", this.queue.keys(), ex);
	}

	private void granted(Attempt attempt, long token, long now, AfterUnlock effects) {
		AcquireAttempts current = attempt.attempts();
		Grant grant = current.grant();
		long validUntil = attempt.sentAt() + grant.ttlNanos() - LockTerms.drift(grant.ttlNanos());
		if (grant.isInDoubt()) {
			requestEnded(current, effects);
		}
		else if (now >= validUntil) {
			failed(current, failure(null), now, effects);
		}
		else {
			Waiter winner = removeHead();
			current.cancelAlarm();
			this.attempts = null;
			this.queue.instance().sawToken(token);
			this.queue.answeredAt(now);
			grant.ownedBy(winner.owner, winner.thread(), token);
			grant.begin(winner.terms, attempt.sentAt(), now, validUntil);
			this.queue.granted(grant, winner, attempt.sentAt(), effects);
			tellOnlookers(effects);
			contend(effects);
		}
	}

	private void busy(Attempt attempt, AcquireOutcome.Busy answer, long now, AfterUnlock effects) {
		AcquireAttempts current = attempt.attempts();
		this.queue.answeredAt(now);
		current.setAlarm(current.busy(answer, attempt.sentAt(), now));
		tellOnlookers(effects);
		if (answer.ended()) {
			goOnAnew(current, current.terms());
		}
		Waiter waiter = Objects.requireNonNull(head());
		if (waiter.isOnce()) {
			failHead(this.queue.busy(waiter), effects);
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
			Waiter waiter = removeHead();
			effects.add(() -> waiter.settle(() -> failure(null)));
		}
		restart(effects);
	}

	/** The next attempt is made with another request, for a waiter entry that stays. */
	private void goOnAnew(AcquireAttempts current, LockTerms terms) {
		this.queue.abandon(current.grant());
		current.goOnWith(this.queue.newGrant(current.grant(), terms));
	}

	private void failed(Attempt attempt, LockStoreException failure, long now, AfterUnlock effects) {
		if (failure instanceof ReplicasNotAcknowledgedException miss) {
			attempt.attempts().missed(miss, now);
			takeBack(attempt, miss, effects);
		}
		else {
			failed(attempt.attempts(), failure, now, effects);
		}
	}

	/**
	 * The store has given a lock that its caller is not to get. The lock is free again
	 * before the caller is told, or asks anew: the request that had it is never used
	 * again, so that its end can come late or twice. That is part of the attempt, and of
	 * its time.
	 */
	private void takeBack(Attempt attempt, LockStoreException miss, AfterUnlock effects) {
		AcquireAttempts current = attempt.attempts();
		Grant missed = current.grant();
		current.setAlarm(attempt.sentAt() + current.patience());
		boolean keepsPlace = this.queue.mode() == LockMode.FAIR && !headTriesOnce();
		goOnAnew(current, current.terms());
		Attempt pending = current.begin(Objects.requireNonNull(head()), keepsPlace);
		effects.add(() -> this.queue.queues.releases.replace(missed, pending.grant(), pending.waiting())
			.thenRun(() -> this.queue.contended((waiting, more) -> waiting.takenBack(pending, miss, more))));
	}

	private void takenBack(Attempt pending, LockStoreException miss, AfterUnlock effects) {
		AcquireAttempts current = pending.attempts();
		if (this.attempts == current && current.landed(pending)) {
			tryLater(current, miss, this.queue.instance().now(), effects);
		}
	}

	private void failed(AcquireAttempts current, LockStoreException failure, long now, AfterUnlock effects) {
		current.failed(failure);
		boolean divided = this.queue.keys().size() > 1 && !this.queue.instance().offer.takesTogether(this.queue.keys());
		if (divided || failure.getKind() == LockStoreException.Kind.MISCONFIGURED) {
			failAll(() -> Failure.ofStore(failure), effects);
		}
		else {
			tryLater(current, failure, now, effects);
		}
	}

	private void tryLater(AcquireAttempts current, LockStoreException failure, long now, AfterUnlock effects) {
		current.setAlarm(current.backOff(now));
		tellOnlookers(effects);
		if (headTriesOnce()) {
			failHead(() -> Failure.ofStore(failure), effects);
		}
	}

	/** Fail all waiters. */
	void failAll(Failure reason, AfterUnlock effects) {
		for (Waiter waiter : all()) {
			remove(waiter);
			effects.add(() -> waiter.settle(reason));
		}
		headLeft(effects);
	}

	private boolean headTriesOnce() {
		Waiter waiter = head();
		return waiter != null && waiter.isOnce();
	}

	private void failHead(Failure reason, AfterUnlock effects) {
		Waiter waiter = removeHead();
		effects.add(() -> waiter.settle(reason));
		headLeft(effects);
	}

	/** The next waiter takes over what is under way, if that serves it as well. */
	private void headLeft(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		Waiter next = head();
		if (current != null && next != null && current.terms().sameOnTheWire(next.terms)) {
			leaveEntry(effects);
		}
		else if (current != null && next != null && current.onlyWaits()) {
			// Without the end of a request, which would let readers overtake the head.
			current.cancelAlarm();
			goOnAnew(current, next.terms);
			attempt(current, effects);
		}
		else if (current != null) {
			restart(effects);
		}
	}

	/** A caller that tried only once has left no entry for the one that takes over. */
	private void leaveEntry(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && !current.isInFlight() && !current.hasLeftEntry()) {
			current.cancelAlarm();
			attempt(current, effects);
		}
	}

	/** End the request under way, and begin another one for the next waiter. */
	private void restart(AfterUnlock effects) {
		AcquireAttempts ended = this.attempts;
		if (ended != null) {
			ended.cancelAlarm();
			ended.end(this.queue.queues.releases, effects);
		}
		this.attempts = null;
		promoteOnlooker();
		contend(effects);
	}

	/**
	 * A request that was made before a jump of a clock may be that of another process,
	 * too, so it is not used any more: one that waits ends here, one that is in flight
	 * with its answer.
	 */
	void doubted(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && !current.isInFlight()) {
			requestEnded(current, effects);
		}
	}

	void alarm(AcquireAttempts current, long now, AfterUnlock effects) {
		if (this.attempts != current || head() == null || current.isBeforeAlarm(now)) {
			return;
		}
		if (current.isInFlight()) {
			current.forget(effects);
			failed(current, current.silence(), this.queue.instance().now(), effects);
		}
		else {
			attempt(current, effects);
		}
	}

	void wakeUp(@Nullable String request, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && head() != null && current.isMeant(request) && current.wokenUp()) {
			current.cancelAlarm();
			attempt(current, effects);
		}
	}

}
