package io.distributedlock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock that this instance has lost. Immutable.
 *
 * @param name the name of the lock, maybe empty
 * @param keys the key, or several that were taken together
 * @param mode the kind of the lock
 * @param fencingToken the token of its last holder here
 * @param reason the reason for the loss
 * @param held how long it was held until then
 * @param ago how long ago the loss was noticed
 * @param cause the failure of the last renewal, or {@code null} if that did not cause the
 * loss
 * @since 0.1.0
 */
public record LostLock(String name, List<String> keys, LockMode mode, long fencingToken, LossReason reason,
		Duration held, Duration ago, @Nullable LockStoreException cause) {
}
