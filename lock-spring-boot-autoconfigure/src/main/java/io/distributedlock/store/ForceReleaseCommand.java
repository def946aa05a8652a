package io.distributedlock.store;

import org.jspecify.annotations.Nullable;

/**
 * Take a lock away from those that hold it.
 *
 * @param key the lock
 * @param request the only request to take it from; {@code null} for all, and then the
 * lock is not kept any more either
 * @since 0.1.0
 */
public record ForceReleaseCommand(LockKey key, @Nullable RequestId request) {
}
