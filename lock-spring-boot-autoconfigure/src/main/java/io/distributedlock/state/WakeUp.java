package io.distributedlock.state;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A message to an instance that waiting may be over.
 *
 * @param key the lock
 * @param instance the instance
 * @param request whose turn it is, or {@code null} if any waiter of the instance may try
 * @since 0.1.0
 */
public record WakeUp(LockKey key, String instance, @Nullable RequestId request) {
}
