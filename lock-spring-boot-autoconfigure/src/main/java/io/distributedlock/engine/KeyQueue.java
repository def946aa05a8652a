package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * What may happen to one lock, or one set of locks, of this instance: callers enter and
 * leave, attempts are answered, the alarm goes off, the lock is released. Each is one
 * decision under the monitor of the queue, and what follows from it is done afterwards.
 * Where each caller has a place of its own in the store, its queue is its own as well.
 */
final class KeyQueue extends KeyContention {

	private boolean dead;

	KeyQueue(Queues queues, String id, LockKeys keys, LockMode mode) {
		super(queues, id, keys, mode);
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
		waiter.watch();
		return true;
	}

	private void join(Waiter waiter, AfterUnlock effects) {
		if (instance().quiescence.isClosed()) {
			effects.add(() -> waiter.settle(this::closed));
			retireIfUnused();
			return;
		}
		if (this.attempts == null && this.grant != null && this.grant.isLost()) {
			this.grant = null;
		}
		if (waiter.once && (this.grant != null || head() != null)) {
			line().addOnlooker(waiter);
			tellOnlookers(effects);
			effects.add(() -> waiter.endAt(waiter.startedAt + instance().commandTimeoutNanos()));
			return;
		}
		line().add(waiter);
		contend(effects);
	}

	@Override
	void tellOnlookers(AfterUnlock effects) {
		AcquireAttempts current = this.attempts;
		if (current != null && !current.isAnswered()) {
			return;
		}
		for (Waiter waiter : takeOnlookers()) {
			if (!enterAgain(waiter, effects)) {
				Failure reason = timeOutReason(waiter);
				effects.add(() -> waiter.settle(reason));
			}
		}
	}

	/**
	 * An outage is never reported as a busy lock, and a busy lock never as an outage:
	 * what counts is the last answer, and whether there was any since the waiter came.
	 */
	@Override
	public synchronized Failure timeOutReason(Waiter waiter) {
		AcquireAttempts current = this.attempts;
		LockStoreException cause = (current != null) ? current.failure() : null;
		if (cause == null && !waiter.isEntering() && (current == null || current.lastBusy() != null
				|| waiter.storeAnswered || this.answeredAt >= waiter.startedAt)) {
			return busy(waiter);
		}
		return () -> Failure.noUsableAnswer(instance().store, keys(), waiter.waited(now()), cause);
	}

	@Override
	public boolean leave(Waiter waiter) {
		AfterUnlock effects = new AfterUnlock();
		boolean left;
		synchronized (this) {
			boolean head = head() == waiter;
			left = takeOut(waiter);
			if (left && head) {
				headLeft(effects);
			}
		}
		effects.run();
		return left;
	}

	/**
	 * Let a waiter enter what another queue, or this one, holds. The other one's monitor
	 * is entered under this one's: the holds of a queue never look for waiters elsewhere.
	 */
	void enterHeld(Waiter waiter, GrantContext held) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			boolean head = head() == waiter;
			if (isInLine(waiter) && held.enterAgain(waiter, effects)) {
				takeOut(waiter);
				if (head) {
					headLeft(effects);
				}
			}
		}
		effects.run();
	}

	synchronized List<Waiter> waiting() {
		return inLine();
	}

	@Override
	public void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer) {
		synchronized (this) {
			if (this.attempts == attempt.attempts()) {
				attempt.attempts().awaiting(attempt, answer);
			}
		}
	}

	@Override
	public void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		AfterUnlock effects = new AfterUnlock();
		AcquireAttempts current = attempt.attempts();
		synchronized (this) {
			if (this.attempts != current || !current.landed(attempt)) {
				return;
			}
			long now = now();
			apply(attempt.judge(outcome, ex, now), attempt, now, effects);
		}
		effects.run();
	}

	@Override
	void takenBack(Attempt pending, Verdict.Missed verdict) {
		AfterUnlock effects = new AfterUnlock();
		AcquireAttempts current = pending.attempts();
		synchronized (this) {
			if (this.attempts == current && current.landed(pending)) {
				tryLater(current, verdict.miss(), now(), effects);
			}
		}
		effects.run();
	}

	@Override
	public @Nullable RequestId beside(Object reader) {
		return this.queues.reentrance.beside(keys(), reader);
	}

	/**
	 * What the store has said is in doubt: it has to confirm what is held. A request that
	 * was made before may be that of another process, too, so it is not used any more:
	 * one that waits ends here, one that is in flight with its answer.
	 */
	void doubted() {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			AcquireAttempts current = this.attempts;
			if (current != null && !current.isInFlight()) {
				requestEnded(current, effects);
			}
			allHeld().forEach((held) -> effects.add(() -> held.schedule(0)));
		}
		effects.run();
	}

	@Override
	public void alarm(AcquireAttempts current, long now) {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			Waiter head = head();
			if (this.attempts != current || head == null || current.isBeforeAlarm(now)) {
				return;
			}
			if (current.isInFlight()) {
				current.forget(effects);
				failed(current, current.silence(), now(), effects);
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
			AcquireAttempts current = this.attempts;
			Waiter head = head();
			if (current != null && head != null && current.isMeant(request) && current.wokenUp()) {
				current.cancelAlarm();
				attempt(current, head, effects);
			}
		}
		effects.run();
	}

	@Override
	public void ended(Grant ended, boolean confirmed) {
		this.queues.released(ended);
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			if (confirmed) {
				this.answeredAt = now();
			}
			forget(ended);
			if (this.grant == null) {
				contend(effects);
				retireIfUnused();
			}
		}
		effects.run();
	}

	@Override
	Grant newGrant(@Nullable Grant before, LockTerms terms) {
		Grant next = new Grant(this, before, terms);
		this.queues.begins(next, this);
		this.grant = next;
		return next;
	}

	@Override
	void retireIfUnused() {
		if (!isInUse() && head() == null) {
			this.dead = true;
			this.queues.remove(this);
		}
	}

	/** Fail all waiters. */
	void close() {
		AfterUnlock effects = new AfterUnlock();
		synchronized (this) {
			failAll(this::closed, effects);
		}
		effects.run();
	}

	private LockRegistryClosedException closed() {
		return new LockRegistryClosedException(keys().name(), keys().text());
	}

}
