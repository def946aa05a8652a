package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The primary granted the lock, but fewer replicas than configured confirmed it in time.
 * The lock counts as not acquired: no caller got it, and it was released. Of kind
 * {@link LockStoreException.Kind#UNAVAILABLE}, so the lock is acquired anew while the
 * caller's budget lasts. The caller gets this exception if no acquisition is confirmed.
 * <p>
 * After this exception, the request of a {@link io.distributedlock.store.LockStore} may
 * hold the lock: code that uses a store directly must abandon that request.
 *
 * @since 0.1.0
 */
public class ReplicasNotAcknowledgedException extends LockStoreException {

	private final int wanted;

	private final int acknowledged;

	/**
	 * Create the exception.
	 * @param wanted the number of replicas that were to confirm the lock
	 * @param acknowledged the number that did
	 * @param message the operation and the remedy
	 * @param cause the same failure as it was thrown on another thread, if it was
	 */
	public ReplicasNotAcknowledgedException(int wanted, int acknowledged, String message, @Nullable Throwable cause) {
		super(Kind.UNAVAILABLE, message, cause);
		this.wanted = wanted;
		this.acknowledged = acknowledged;
	}

	/**
	 * The number of replicas that were to confirm the lock.
	 * @return the number that is configured
	 */
	public int getWanted() {
		return this.wanted;
	}

	/**
	 * The number of replicas that have confirmed the lock in time.
	 * @return a smaller number
	 */
	public int getAcknowledged() {
		return this.acknowledged;
	}

}
