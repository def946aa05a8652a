package io.distributedlock.memory;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Who is to be told that waiting may be over.
 *
 * @param instance the instance
 * @param request whose turn it is, or {@code null} if any waiter of the instance may try
 */
record MemoryWakeUp(String instance, @Nullable RequestId request) {
}
