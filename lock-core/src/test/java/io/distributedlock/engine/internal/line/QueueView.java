package io.distributedlock.engine.internal.line;

/** A look into queues, for tests of other packages. */
public final class QueueView {

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

}
