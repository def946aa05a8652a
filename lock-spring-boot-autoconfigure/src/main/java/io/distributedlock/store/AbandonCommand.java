package io.distributedlock.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Ends a request whose outcome is unknown, or which has what no caller is to get.
 *
 * @param keys the locks
 * @param request the request to end
 * @param successor of a fair request the one that its caller goes on with, which takes
 * the place of the ended one, if this had the locks, before all who wait; else
 * {@code null}
 * @param waiting how long the entry counts that the successor waits, or without one the
 * instance: readers that wait are not let in then; zero for no entry
 * @since 0.1.0
 */
public record AbandonCommand(List<LockKey> keys, RequestId request, @Nullable RequestId successor, Duration waiting) {

	/**
	 * Ends a request that is not waited for any more.
	 * @param keys the locks
	 * @param request the request to end
	 */
	public AbandonCommand(List<LockKey> keys, RequestId request) {
		this(keys, request, null, Duration.ZERO);
	}

	/**
	 * Ends a request for one lock.
	 * @param key the lock
	 * @param request the request to end
	 */
	public AbandonCommand(LockKey key, RequestId request) {
		this(List.of(key), request);
	}

}
