package io.distributedlock.engine.internal.line;

import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import org.jspecify.annotations.Nullable;

/** A grant of one queue. Its timer drives the queue, and the renewals of the lock. */
final class QueuedGrant extends Grant {

	/** Create a grant for a new request, which takes over the place of the one before. */
	QueuedGrant(KeyQueue queue, @Nullable Grant before, LockTerms terms) {
		super(queue.index.instance, queue, queue.target(), queue.mode(), before, terms);
	}

	private QueuedGrant(Grant left, LockTerms terms, long token, Waiter waiter) {
		super(left, terms);
		ownedBy(waiter.owner, waiter.thread(), token);
	}

	/**
	 * Hand the lock on to a waiter of this instance, with the next token. Its lease
	 * counts from the time when the store granted the lock.
	 * @return the grant of the waiter; {@code null} if the lock cannot be handed on
	 */
	static @Nullable QueuedGrant handOn(Grant left, Waiter waiter, long now) {
		long validUntil = left.passOn(now);
		if (validUntil < 0) {
			return null;
		}
		QueuedGrant next = new QueuedGrant(left, waiter.terms, left.token() + 1, waiter);
		next.begin(waiter.terms, left.confirmedAt(), now, validUntil);
		next.instance.sawToken(next.token());
		return next;
	}

	KeyQueue queue() {
		return (KeyQueue) this.queue;
	}

	@Override
	public void fire(long now) {
		if (isHeld(now)) {
			queue().due(this, now);
		}
		else if (isAcquiring()) {
			queue().alarm(this, now);
		}
		else if (claimNotification()) {
			queue().lost(this, lossReason());
		}
	}

	/** Notify of a loss all the same when the loop has no driver any more. */
	@Override
	public void abort() {
		if (isLost()) {
			fire(now());
		}
	}

}
