package io.distributedlock.engine.internal.line;

import java.time.Duration;

import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;

/** A look into queues, for tests of other packages. */
public final class QueueView {

	/** The longest time that a turn lasts. */
	public static final Duration TURN = Turn.PERIOD;

	/** The most hand-offs in a row. */
	public static final int MOST_HAND_OFFS = Turn.MOST_HAND_OFFS;

	/** The most holds of one owner. */
	public static final int MAX_HOLDS = Reentrance.MAX_HOLDS;

	private QueueView() {
	}

	/**
	 * Return whether the store has answered the request that waits in a queue, if any
	 * does.
	 * @param queue the queue
	 * @return {@code true} if no first answer is awaited
	 */
	public static boolean isAnswered(KeyQueue queue) {
		synchronized (queue) {
			AcquireAttempts attempts = (queue.contention != null) ? queue.contention.attempts : null;
			return queue.first == null && (attempts == null || attempts.lastBusy != null);
		}
	}

	/**
	 * Return the number of callers that wait in line, without one that attempts to get a
	 * free lock.
	 * @param queue the queue
	 * @return the number, with those that attempt only once
	 */
	public static int inLine(KeyQueue queue) {
		synchronized (queue) {
			return (queue.contention != null) ? queue.contention.all().size() : 0;
		}
	}

	/**
	 * Note that a waiter has joined the queue of another one.
	 * @param waiter the waiter
	 * @param like a waiter in that queue
	 */
	public static void join(Waiter waiter, Waiter like) {
		waiter.place = like.place;
	}

	/**
	 * Return whether a request of one owner may enter a lock of another.
	 * @param requester the one owner
	 * @param owner the other owner
	 * @return {@code true} if it may
	 */
	public static boolean mayEnter(Object requester, Object owner) {
		return Reentrance.mayEnter(requester, owner);
	}

	/**
	 * End the budget of a waiter now.
	 * @param waiter the waiter
	 */
	public static void endBudget(Waiter waiter) {
		new WaiterTimer(waiter).fire(0);
	}

	/**
	 * Watch the budget of a waiter.
	 * @param waiter the waiter
	 */
	public static void watch(Waiter waiter) {
		WaiterTimer.set(waiter, Long.MAX_VALUE);
	}

	/**
	 * Hand a lock on.
	 * @param left the grant of the holder
	 * @param next the next caller
	 * @param now the time
	 * @return the grant of that caller, or {@code null}
	 */
	public static Grant handOn(Grant left, Waiter next, long now) {
		return QueuedGrant.handOn(left, next, now);
	}

	/**
	 * Name the holder of a busy lock.
	 * @param index the queues
	 * @param key the lock
	 * @param answer the answer of the store
	 * @return the name for messages
	 */
	public static String holder(QueueIndex index, LockKey key, AcquireOutcome.Busy answer) {
		return index.holders.of(key, answer);
	}

}
