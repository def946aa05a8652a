package io.distributedlock.store;

import java.time.Duration;

/**
 * An extension of a lease.
 *
 * @param key the lock
 * @param request the owner
 * @param ttl the new lease from now on
 * @since 0.1.0
 */
public record RenewCommand(LockKey key, RequestId request, Duration ttl) {
}
