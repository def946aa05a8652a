package io.distributedlock.engine;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance who want one lock, or one set of locks, first come first
 * served. Only the head talks to the store, and only while no grant of this instance
 * holds the lock. Permits of a semaphore are asked for one after the other, whatever is
 * held. Everything here is called under the monitor of the queue.
 */
abstract class KeyContention extends KeyHold implements Attempt.Caller, Waiter.Place {

	/** The waiters, if there are any. */
	private @Nullable WaitingLine line;

	@Nullable AcquireAttempts attempts;

	/** When the store last said something useful about this lock. */
	long answeredAt = Long.MIN_VALUE;

	KeyContention(Queues queues, String id, LockKeys keys, LockMode mode) {
		super(queues, id, keys, mode);
	}

	@Override
	final boolean isContending() {
		return this.attempts != null;
	}

	@Override
	final Waiter.Place place() {
		return this;
	}

	/** A new grant, in the place of another one if there was one. */
	abstract Grant newGrant(@Nullable Grant before, LockTerms terms);

	/** Let the onlookers know, once the lock is taken, or the store does not say. */
	abstract void tellOnlookers(AfterUnlock effects);

	/** Give the queue up, unless a waiter or a grant needs it. */
	abstract void retireIfUnused();

	final WaitingLine line() {
		if (this.line == null) {
			this.line = new WaitingLine();
		}
		return this.line;
	}

	final Set<Waiter> takeOnlookers() {
		Set<Waiter> onlookers = (this.line != null) ? this.line.takeOnlookers() : Set.of();
		dropEmptyLine();
		return onlookers;
	}

	final @Nullable Waiter head() {
		return (this.line != null) ? this.line.first() : null;
	}

	final boolean isInLine(Waiter waiter) {
		return this.line != null && this.line.contains(waiter);
	}

	final boolean takeOut(Waiter waiter) {
		boolean taken = this.line != null && this.line.remove(waiter);
		dropEmptyLine();
		return taken;
	}

	/** A lock that is held while none waits for it needs no line. */
	private void dropEmptyLine() {
		if (this.line != null && this.line.isEmpty()) {
			this.line = null;
		}
	}

	final List<Waiter> inLine() {
		return (this.line != null) ? this.line.all() : List.of();
	}

	final Failure busy(Waiter waiter) {
		Grant here = (this.grant != null && !this.grant.isAcquiring()) ? this.grant : null;
		AcquireOutcome.Busy last = (this.attempts != null) ? this.attempts.lastBusy() : null;
		LockKey key = keys().list().get((last != null) ? last.index() : 0);
		return () -> this.queues.holders.busy(waiter, key, here, last);
	}

	/** Let the head talk to the store if it may and does not yet. */
	final void contend(AfterUnlock effects) {
		Waiter head = head();
		if (head != null && this.grant == null) {
			try {
				Grant wanted = newGrant(null, head.terms);
				this.attempts = new AcquireAttempts(this, wanted, head.terms);
				attempt(this.attempts, head, effects);
			}
			catch (LockStoreException ex) {
				failAll(() -> Failure.ofStore(ex), effects);
				retireIfUnused();
			}
		}
	}

	final void attempt(AcquireAttempts current, Waiter head, AfterUnlock effects) {
		effects.add(current.begin(head, !head.once));
	}

	/** Do what the answer to an attempt means. */
	final void apply(Verdict verdict, Attempt attempt, long now, AfterUnlock effects) {
		AcquireAttempts current = attempt.attempts();
		if (verdict instanceof Verdict.Granted granted) {
			granted(current, granted, attempt.sentAt(), now, effects);
		}
		else if (verdict instanceof Verdict.Busy busy) {
			this.answeredAt = now;
			current.setAlarm(busy.nextAt());
			busy(current, busy.answer().ended(), effects);
		}
		else if (verdict instanceof Verdict.Ended) {
			requestEnded(current, effects);
		}
		else if (verdict instanceof Verdict.Missed missed) {
			current.missed(missed.miss(), now);
			takeBack(current, missed, attempt.sentAt(), effects);
		}
		else if (verdict instanceof Verdict.Failed failed) {
			failed(current, failed.failure(), now, effects);
		}
	}

	private void busy(AcquireAttempts current, boolean ended, AfterUnlock effects) {
		tellOnlookers(effects);
		Waiter head = Objects.requireNonNull(head());
		AcquireAttempts going = ended ? goOnAnew(current, current.terms) : current;
		if (headTriesOnce()) {
			failHead(busy(head), effects);
		}
		else if (going.grant.isInDoubt()) {
			requestEnded(going, effects);
		}
		else {
			leaveEntry(head, effects);
		}
	}

	/** The request has ended, or is in doubt: a single try fails, others ask anew. */
	final void requestEnded(AcquireAttempts current, AfterUnlock effects) {
		current.ended();
		if (headTriesOnce()) {
			Waiter head = removeHead();
			effects.add(() -> head.settle(() -> Failure.ofStore(instance().store, "acquire", keys(), null)));
		}
		restart(effects);
	}

	/** The next attempt is made with another request, for a waiter entry that stays. */
	private AcquireAttempts goOnAnew(AcquireAttempts ended, LockTerms terms) {
		ended.grant.abandon();
		AcquireAttempts next = ended.withRequest(newGrant(ended.grant, terms), terms);
		this.attempts = next;
		return next;
	}

	/**
	 * The store has given a lock that its caller is not to get. The lock is free again
	 * before the caller is told, or asks anew: the request that had it is never used
	 * again, so that its end can come late or twice. That is part of the attempt, and of
	 * its time.
	 */
	private void takeBack(AcquireAttempts missed, Verdict.Missed verdict, long sentAt, AfterUnlock effects) {
		missed.setAlarm(sentAt + missed.patience());
		boolean keepsPlace = mode() == LockMode.FAIR && !headTriesOnce();
		AcquireAttempts next = goOnAnew(missed, missed.terms);
		Attempt pending = next.begin(Objects.requireNonNull(head()), keepsPlace);
		effects.add(() -> this.queues.releases.replace(missed.grant, next.grant, pending.waiting())
			.thenRun(() -> takenBack(pending, verdict)));
	}

	/** The lock of an attempt that too few replicas had is free again. */
	abstract void takenBack(Attempt pending, Verdict.Missed verdict);

	private void granted(AcquireAttempts current, Verdict.Granted granted, long sentAt, long now, AfterUnlock effects) {
		Waiter head = removeHead();
		instance().sawToken(granted.token());
		current.cancelAlarm();
		this.answeredAt = now;
		this.attempts = null;
		Grant held = current.grant;
		GrantLease lease = lease(held, head);
		held.ownedBy(head.owner, head.thread(), granted.token());
		held.begin(head.terms, sentAt, now, granted.validUntil());
		this.queues.holds(held);
		effects.add(() -> this.queues.granted(held, lease, head, sentAt));
		tellOnlookers(effects);
		if (mode() == LockMode.SEMAPHORE) {
			setAside(held);
			contend(effects);
		}
	}

	final void failed(AcquireAttempts current, LockStoreException failure, long now, AfterUnlock effects) {
		current.failed(failure);
		if (!keys().isSingle() && !instance().store.takesTogether(keys().list())) {
			// The store has learnt that it cannot.
			failAll(SetDividedException::new, effects);
		}
		else if (failure.getKind() == LockStoreException.Kind.MISCONFIGURED) {
			failAll(() -> Failure.ofStore(failure), effects);
		}
		else {
			tryLater(current, failure, now, effects);
		}
	}

	final void tryLater(AcquireAttempts current, LockStoreException failure, long now, AfterUnlock effects) {
		current.setAlarm(current.backOff(now));
		tellOnlookers(effects);
		if (headTriesOnce()) {
			failHead(() -> Failure.ofStore(failure), effects);
		}
	}

	final void failAll(Failure reason, AfterUnlock effects) {
		inLine().forEach((waiter) -> effects.add(() -> waiter.settle(reason)));
		this.line = null;
		headLeft(effects);
	}

	private boolean headTriesOnce() {
		Waiter head = head();
		return head != null && head.once;
	}

	private Waiter removeHead() {
		Waiter head = Objects.requireNonNull(head());
		takeOut(head);
		return head;
	}

	private void failHead(Failure reason, AfterUnlock effects) {
		Waiter head = removeHead();
		effects.add(() -> head.settle(reason));
		headLeft(effects);
	}

	/** The next waiter takes over what is under way, if that serves it as well. */
	final void headLeft(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		Waiter head = head();
		if (current != null && head != null && current.terms.sameOnTheWire(head.terms)) {
			leaveEntry(head, effects);
		}
		else if (current != null && head != null && current.onlyWaits()) {
			// Without the end of a request, which would let readers overtake the head.
			current.cancelAlarm();
			attempt(goOnAnew(current, head.terms), head, effects);
		}
		else if (current != null) {
			restart(effects);
		}
	}

	/** A caller that tried only once has left no entry for the one that takes over. */
	private void leaveEntry(Waiter head, AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && !current.isInFlight() && !current.hasLeftEntry()) {
			current.cancelAlarm();
			attempt(current, head, effects);
		}
	}

	/** End the request under way, and begin another one for the next waiter. */
	private void restart(AfterUnlock effects) {
		AcquireAttempts ended = this.attempts;
		if (ended != null) {
			ended.cancelAlarm();
			ended.end(this.queues.releases, effects);
		}
		this.attempts = null;
		this.grant = null;
		if (this.line != null) {
			this.line.promoteOnlooker();
		}
		contend(effects);
		retireIfUnused();
	}

}
