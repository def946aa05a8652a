package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The primary had the lock, but not as many replicas as were asked for have confirmed it
 * in time. It counts as not acquired: it was not handed out, and has been released. Of
 * kind {@link LockStoreException.Kind#UNAVAILABLE}, so the lock is acquired anew while
 * the caller's budget lasts, and the caller gets this exception if no acquisition is
 * confirmed.
 * <p>
 * The attempt of a {@link io.distributedlock.store.LockStore} that fails with it may hold
 * the lock; a direct user of a store ends the request.
 *
 * @since 0.1.0
 */
public class ReplicasNotAcknowledgedException extends LockStoreException {

	private final int wanted;

	private final int acknowledged;

	/**
	 * Create the exception.
	 * @param wanted how many replicas were to confirm the lock
	 * @param acknowledged how many have
	 * @param message what was attempted, and the remedy
	 * @param cause the same failure as it was thrown on another thread, if it was
	 */
	public ReplicasNotAcknowledgedException(int wanted, int acknowledged, String message, @Nullable Throwable cause) {
		super(Kind.UNAVAILABLE, message, cause);
		this.wanted = wanted;
		this.acknowledged = acknowledged;
	}

	/**
	 * How many replicas were to confirm the lock.
	 * @return the number that is configured
	 */
	public int getWanted() {
		return this.wanted;
	}

	/**
	 * How many replicas have confirmed the lock in time.
	 * @return a smaller number
	 */
	public int getAcknowledged() {
		return this.acknowledged;
	}

}
