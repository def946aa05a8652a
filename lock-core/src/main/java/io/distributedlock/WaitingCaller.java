package io.distributedlock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A caller of this instance that waits for a lock, as it was at one moment. Immutable.
 *
 * @param name the name of the lock, maybe empty
 * @param keys the key, or several that are wanted together
 * @param mode the kind of lock
 * @param waited how long it has waited
 * @param left the rest of its budget, or {@code null} if it waits without a limit
 * @param thread the name of the waiting thread; empty if no thread waits
 * @param place the stack frame of the application in which that thread is, or
 * {@code null} if it is not known
 * @since 0.1.0
 */
public record WaitingCaller(String name, List<String> keys, LockMode mode, Duration waited, @Nullable Duration left,
		String thread, @Nullable String place) {
}
