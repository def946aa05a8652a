package io.distributedlock.store;

import java.time.Duration;

/**
 * An attempt to take a lock.
 *
 * @param key the lock
 * @param request the request id; the same one when the attempt is repeated
 * @param ttl the lease
 * @param keepFor the lock stays taken at least this long after this acquisition, whatever
 * happens to its holder; zero for not
 * @param highestToken the largest token this instance has seen; the new one is larger
 * @param waiting how long the word that this instance waits for the lock is good if the
 * lock is busy; zero leaves no word
 * @since 0.1.0
 */
public record AcquireCommand(LockKey key, RequestId request, Duration ttl, Duration keepFor, long highestToken,
		Duration waiting) {
}
