package io.distributedlock.store;

import java.time.Duration;

/**
 * A renewal of a lease, for the last request of its contender only: an earlier one has
 * ended.
 *
 * @param key the lock
 * @param request the owner
 * @param ttl the new lease from now on
 * @param marks the marks that distinguish this process from others with the same request;
 * the store keeps the newest one; {@linkplain RenewalMarks#ANY any} for a process that
 * has only a handle
 * @since 0.1.0
 */
public record RenewCommand(LockKey key, RequestId request, Duration ttl, RenewalMarks marks) {

	/**
	 * A renewal by a process that has no twin.
	 * @param key the lock
	 * @param request the owner
	 * @param ttl the new lease from now on
	 */
	public RenewCommand(LockKey key, RequestId request, Duration ttl) {
		this(key, request, ttl, RenewalMarks.NONE);
	}

}
