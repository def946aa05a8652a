package io.distributedlock.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Ends a request whose outcome is unknown, or that has a lock which no caller is to get.
 *
 * @param keys the locks
 * @param request the request to end
 * @param successor for a fair request, the request that its caller goes on with, else
 * {@code null}; if the ended request had the locks, its successor comes before all other
 * waiters
 * @param waiting lifetime of the waiter entry of the successor, or of the contender if
 * there is no successor: waiting readers are not admitted then; zero for no entry
 * @since 0.1.0
 */
public record AbandonCommand(List<LockKey> keys, RequestId request, @Nullable RequestId successor, Duration waiting) {

	/**
	 * Ends a request whose caller has given up.
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
