package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this instance who want one lock, or one set of locks, first come first
 * served. Only the head talks to the store, and only while no grant of this instance
 * holds the lock. Permits of a semaphore are asked for one after the other, whatever is
 * held. Where each caller has a place of its own in the store, its queue is its own as
 * well. Its timer is the alarm: when to look again, or when an answer is overdue.
 */
final class KeyQueue extends KeyHold {

	private WaitingLine waiters = WaitingLine.NOBODY;

	/** Single tries that wait for the answer to the attempt of another waiter. */
	private WaitingLine onlookers = WaitingLine.NOBODY;

	private @Nullable AcquireAttempts contention;

	/** When the store last said something useful about this lock. */
	private long answeredAt = Long.MIN_VALUE;

	private boolean dead;

	KeyQueue(Engine engine, String id, LockKeys keys, LockMode mode) {
		super(engine, id, keys, mode);
	}

	@Override
	boolean isContending() {
		return this.contention != null;
	}

	/**
	 * Enter the queue, or the lock if the owner has it already.
	 * @return false if this queue is not in use any more and a new one must be taken
	 */
	boolean enter(Waiter waiter) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			if (this.dead) {
				return false;
			}
			waiter.joined(this);
			if (!enterAgain(waiter, effects)) {
				join(waiter, effects);
			}
		}
		effects.run();
		return true;
	}

	private void join(Waiter waiter, AfterUnlock effects) {
		if (engine().isClosed()) {
			effects.add(() -> waiter.settle(() -> new LockRegistryClosedException(keys().name(), keys().text())));
			retireIfUnused();
			return;
		}
		if (this.contention == null && this.grant != null && this.grant.isLost()) {
			this.grant = null;
		}
		if (waiter.once && (this.grant != null || !this.waiters.isEmpty())) {
			this.onlookers = this.onlookers.with(waiter);
			tellOnlookers(effects);
			effects.add(() -> waiter.endAt(waiter.startedAt + engine().store().commandTimeout().toNanos()));
			return;
		}
		this.waiters = this.waiters.with(waiter);
		contend(effects);
		effects.add(() -> engine().watch(waiter));
	}

	/** Once it is known whether the lock is taken, or that the store does not say. */
	private void tellOnlookers(AfterUnlock effects) {
		AcquireAttempts current = this.contention;
		if (current != null && !current.isAnswered()) {
			return;
		}
		for (Waiter waiter : this.onlookers.list()) {
			if (!enterAgain(waiter, effects)) {
				Failure reason = timeOutReason(waiter);
				effects.add(() -> waiter.settle(reason));
			}
		}
		this.onlookers = WaitingLine.NOBODY;
	}

	/**
	 * Leave the queue.
	 * @return false if the waiter has been served
	 */
	boolean leave(Waiter waiter) {
		AfterUnlock effects = new AfterUnlock();
		boolean left;
		synchronized (this) {
			boolean head = this.waiters.peek() == waiter;
			int size = this.waiters.size() + this.onlookers.size();
			this.waiters = this.waiters.without(waiter);
			this.onlookers = this.onlookers.without(waiter);
			left = this.waiters.size() + this.onlookers.size() < size;
			if (left && head) {
				headLeft(effects);
			}
		}
		effects.run();
		return left;
	}

	/**
	 * Take out who enters the lock, or another one that this one is part of. That one's
	 * monitor is entered under this one's, never the other way round.
	 */
	void takeOut(BiPredicate<Waiter, AfterUnlock> enters) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			Waiter head = this.waiters.peek();
			this.waiters = this.waiters.without((waiter) -> enters.test(waiter, effects));
			this.onlookers = this.onlookers.without((waiter) -> enters.test(waiter, effects));
			if (this.waiters.peek() != head) {
				headLeft(effects);
			}
		}
		effects.run();
	}

	synchronized List<Waiter> waiting() {
		return Stream.concat(this.waiters.list().stream(), this.onlookers.list().stream()).toList();
	}

	/**
	 * An outage is never reported as a busy lock, and a busy lock never as an outage:
	 * what counts is the last answer, and whether there was any since the waiter came.
	 */
	synchronized Failure timeOutReason(Waiter waiter) {
		AcquireAttempts current = this.contention;
		LockStoreException cause = (current != null) ? current.failure() : null;
		if (cause == null && !waiter.isEntering() && (current == null || current.lastBusy() != null
				|| waiter.storeAnswered || this.answeredAt >= waiter.startedAt)) {
			return busy(waiter);
		}
		return () -> Failure.noUsableAnswer(engine(), keys(), waiter, cause);
	}

	private Failure busy(Waiter waiter) {
		String here = (this.grant != null && !this.grant.isAcquiring()) ? HolderNames.of(this.grant) : null;
		AcquireOutcome.Busy last = lastBusy();
		LockKey key = keys().list().get((last != null) ? last.index() : 0);
		return () -> engine().busy(waiter, key, (here != null) ? here : engine().holders().of(key, last));
	}

	/** What the store has answered last to whoever is first here, if it was that. */
	synchronized AcquireOutcome.@Nullable Busy lastBusy() {
		return (this.contention != null) ? this.contention.lastBusy() : null;
	}

	/** Let the head talk to the store if it may and does not yet. */
	private void contend(AfterUnlock effects) {
		Waiter head = this.waiters.peek();
		if (head != null && this.grant == null) {
			try {
				this.grant = engine().newGrant(this, null, head.terms);
				this.contention = new AcquireAttempts(this.grant, head);
				attempt(this.contention, head, effects);
			}
			catch (LockStoreException ex) {
				failAll(() -> Failure.ofStore(ex), effects);
				retireIfUnused();
			}
		}
	}

	private void attempt(AcquireAttempts current, Waiter head, AfterUnlock effects) {
		boolean leaveWord = !head.once;
		int number = current.begin(leaveWord);
		effects.add(() -> current.send(number, leaveWord, this, head));
	}

	/** An attempt has been sent and not been answered yet. */
	void awaiting(AcquireAttempts current, int number, CompletableFuture<AcquireOutcome> answer, long sentAt) {
		synchronized (this) {
			if (this.contention == current && current.isAwaiting(number, answer)) {
				setAlarm(sentAt + current.patience());
			}
		}
	}

	void answered(AcquireAttempts current, int number, long sentAt, @Nullable AcquireOutcome outcome,
			@Nullable Throwable ex) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			if (this.contention != current || !current.landed(number)) {
				return;
			}
			long now = engine().now();
			if (outcome instanceof AcquireOutcome.Granted granted) {
				granted(current, granted.token(), sentAt, now, effects);
			}
			else if (outcome instanceof AcquireOutcome.Busy busy) {
				this.answeredAt = now;
				setAlarm(current.busy(busy, sentAt, now));
				tellOnlookers(effects);
				AcquireAttempts going = busy.ended() ? goOnAnew(current, current.terms) : current;
				if (headTriesOnce()) {
					failHead(busy(this.waiters.getFirst()), effects);
				}
				else if (going.grant.isInDoubt()) {
					refused(going, effects);
				}
				else {
					leaveWord(this.waiters.getFirst(), effects);
				}
			}
			else if (outcome instanceof AcquireOutcome.Refused) {
				current.refused(number, sentAt, now);
				refused(current, effects);
			}
			else {
				LockStoreException failure = engine().failure("acquire", keys(), ex);
				if (failure instanceof ReplicasNotAcknowledgedException miss) {
					current.missed(miss, now);
					takeBack(current, miss, sentAt, effects);
				}
				else {
					failed(current, failure, now, effects);
				}
			}
		}
		effects.run();
	}

	/** It has ended, or is in doubt: nothing is left of what a single try has got. */
	private void refused(AcquireAttempts current, AfterUnlock effects) {
		current.refused();
		if (headTriesOnce()) {
			Waiter head = removeHead();
			effects.add(() -> head.settle(() -> engine().failure("acquire", keys(), null)));
		}
		restart(effects);
	}

	/** The next attempt is made with another request, for a waiter entry that stays. */
	private AcquireAttempts goOnAnew(AcquireAttempts ended, LockTerms terms) {
		ended.grant.abandon();
		Grant successor = engine().newGrant(this, ended.grant, terms);
		AcquireAttempts next = ended.withRequest(successor, terms);
		this.grant = successor;
		this.contention = next;
		return next;
	}

	/**
	 * The store has given what nobody is to get. First that is free again, then somebody
	 * is told, or asks anew: the request that had it is never used again, so that the end
	 * of it can come late or twice. That is part of the attempt, and of its time.
	 */
	private void takeBack(AcquireAttempts missed, LockStoreException miss, long sentAt, AfterUnlock effects) {
		setAlarm(sentAt + missed.patience());
		boolean keepsPlace = mode() == LockMode.FAIR && !headTriesOnce();
		AcquireAttempts next = goOnAnew(missed, missed.terms);
		int number = next.begin(keepsPlace);
		effects.add(() -> engine().replace(missed.grant, next.grant, next.waiting(keepsPlace))
			.thenRun(() -> takenBack(next, number, miss)));
	}

	private void takenBack(AcquireAttempts next, int number, LockStoreException miss) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			if (this.contention == next && next.landed(number)) {
				tryLater(next, miss, engine().now(), effects);
			}
		}
		effects.run();
	}

	private void granted(AcquireAttempts current, long token, long sentAt, long now, AfterUnlock effects) {
		long ttl = current.grant.ttlNanos();
		long validUntil = sentAt + ttl - LockTerms.drift(ttl);
		if (current.grant.isInDoubt()) {
			refused(current, effects);
			return;
		}
		if (now >= validUntil) {
			failed(current, engine().failure("acquire", keys(), null), now, effects);
			return;
		}
		Waiter head = removeHead();
		engine().sawToken(token);
		cancelAlarm();
		this.answeredAt = now;
		this.contention = null;
		Grant held = current.grant;
		GrantLease lease = new GrantLease(held, head);
		held.enter(lease);
		held.hold(token, sentAt, now, validUntil, head);
		engine().holdBegins(held);
		effects.add(() -> engine().granted(held, lease, head, sentAt));
		tellOnlookers(effects);
		if (mode() == LockMode.SEMAPHORE) {
			setAside(held);
			contend(effects);
		}
	}

	private void failed(AcquireAttempts current, LockStoreException failure, long now, AfterUnlock effects) {
		current.failed(failure);
		if (!keys().isSingle() && !engine().store().takesTogether(keys().list())) {
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

	private void tryLater(AcquireAttempts current, LockStoreException failure, long now, AfterUnlock effects) {
		setAlarm(current.backOff(now));
		tellOnlookers(effects);
		if (headTriesOnce()) {
			failHead(() -> Failure.ofStore(failure), effects);
		}
	}

	private void failAll(Failure reason, AfterUnlock effects) {
		waiting().forEach((waiter) -> effects.add(() -> waiter.settle(reason)));
		this.waiters = WaitingLine.NOBODY;
		this.onlookers = WaitingLine.NOBODY;
		headLeft(effects);
	}

	private boolean headTriesOnce() {
		Waiter head = this.waiters.peek();
		return head != null && head.once;
	}

	private Waiter removeHead() {
		Waiter head = this.waiters.getFirst();
		this.waiters = this.waiters.without(head);
		return head;
	}

	private void failHead(Failure reason, AfterUnlock effects) {
		Waiter head = removeHead();
		effects.add(() -> head.settle(reason));
		headLeft(effects);
	}

	/** The next waiter takes over what is under way, if that serves it as well. */
	private void headLeft(AfterUnlock effects) {
		AcquireAttempts current = this.contention;
		Waiter head = this.waiters.peek();
		if (current != null && head != null && current.terms.sameOnTheWire(head.terms)) {
			leaveWord(head, effects);
		}
		else if (current != null && head != null && current.onlyWaits()) {
			// Without the end of a request, which would let readers overtake the head.
			cancelAlarm();
			attempt(goOnAnew(current, head.terms), head, effects);
		}
		else if (current != null) {
			restart(effects);
		}
	}

	/** A caller who tried only once has left no word for the one who takes over. */
	private void leaveWord(Waiter head, AfterUnlock effects) {
		AcquireAttempts current = this.contention;
		if (current != null && !current.isInFlight() && !current.hasLeftWord()) {
			cancelAlarm();
			attempt(current, head, effects);
		}
	}

	/** End the request under way, and begin another one if somebody waits. */
	private void restart(AfterUnlock effects) {
		AcquireAttempts ended = this.contention;
		if (ended != null) {
			cancelAlarm();
			ended.end(effects);
		}
		this.contention = null;
		this.grant = null;
		if (this.waiters.isEmpty() && !this.onlookers.isEmpty()) {
			Waiter next = this.onlookers.getFirst();
			this.onlookers = this.onlookers.without(next);
			this.waiters = this.waiters.with(next);
		}
		contend(effects);
		retireIfUnused();
	}

	/**
	 * What the store has said is in doubt: it has to confirm what is held. A request that
	 * was made before may be that of another process, too, so it is not used any more:
	 * one that waits ends here, one that is in flight with its answer.
	 */
	void doubted() {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			AcquireAttempts current = this.contention;
			if (current != null && !current.isInFlight()) {
				refused(current, effects);
			}
			allHeld().forEach((held) -> effects.add(() -> held.schedule(0)));
		}
		effects.run();
	}

	@Override
	public void fire(long now) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			AcquireAttempts current = this.contention;
			Waiter head = this.waiters.peek();
			if (current == null || head == null || isBeforeAlarm(now)) {
				return;
			}
			if (current.isInFlight()) {
				current.forget(effects);
				failed(current, current.silence(), engine().now(), effects);
			}
			else {
				attempt(current, head, effects);
			}
		}
		effects.run();
	}

	/** The lock may have become free. */
	void wakeUp() {
		wakeUp(null);
	}

	/**
	 * The lock may have become free, maybe for one request only.
	 * @param request the request, or {@code null} for any
	 */
	void wakeUp(@Nullable String request) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			AcquireAttempts current = this.contention;
			Waiter head = this.waiters.peek();
			if (current != null && head != null && current.isMeant(request) && current.wokenUp()) {
				cancelAlarm();
				attempt(current, head, effects);
			}
		}
		effects.run();
	}

	/**
	 * The grant does not hold the lock any more.
	 * @param confirmed whether the store has said so
	 */
	void ended(Grant ended, boolean confirmed) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			if (confirmed) {
				this.answeredAt = engine().now();
			}
			forget(ended);
			if (this.grant == null) {
				contend(effects);
				retireIfUnused();
			}
		}
		effects.run();
	}

	private void retireIfUnused() {
		if (!isInUse() && this.waiters.isEmpty()) {
			this.dead = true;
			engine().retire(this);
		}
	}

	/** Fail all waiters. */
	void close() {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			failAll(() -> new LockRegistryClosedException(keys().name(), keys().text()), effects);
		}
		effects.run();
	}

}
