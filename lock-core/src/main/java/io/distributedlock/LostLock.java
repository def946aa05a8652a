package io.distributedlock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock that this instance has lost. Immutable.
 *
 * @param name the name of the lock, maybe empty
 * @param keys the key, or several that were taken together
 * @param mode what kind of lock it was
 * @param fencingToken the token of its last holder here
 * @param reason why
 * @param held how long it was held until then
 * @param ago how long ago that was noticed
 * @param cause why the last renewal was not confirmed, or {@code null} if that is not why
 * @since 0.1.0
 */
public record LostLock(String name, List<String> keys, LockMode mode, long fencingToken, LossReason reason,
		Duration held, Duration ago, @Nullable LockStoreException cause) {
}
