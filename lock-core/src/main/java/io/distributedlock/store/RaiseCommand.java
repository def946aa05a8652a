package io.distributedlock.store;

import java.util.List;

/**
 * Raises the token of locks, so that the next request that takes them gets a larger one.
 *
 * @param keys the locks
 * @param request the owner
 * @param token the least token
 * @since 0.1.0
 */
public record RaiseCommand(List<LockKey> keys, RequestId request, long token) {
}
