package io.distributedlock.store;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to take a lock, or several locks all or none.
 *
 * @param keys the locks; several only if the store
 * {@linkplain LockStore#takesTogether(List) takes them together}
 * @param request the request id; the same one when the attempt is repeated
 * @param mode the mode, neither {@code DEFAULT} nor {@code WRITE}, which is
 * {@code EXCLUSIVE}
 * @param permits how many requests may hold a semaphore at once; of other modes zero
 * @param beside of a reader an exclusive request of the same owner that holds the lock
 * and does not stand in its way, else {@code null}
 * @param ttl the lease
 * @param keepFor the locks stay taken at least this long after this acquisition, whatever
 * happens to their holder; zero for not
 * @param waiting lifetime of the waiter entry that is left in the store if the lock is
 * busy; zero leaves none
 * @param highestToken the largest token this instance has seen; the new one is larger
 * @param retakes only for a {@linkplain QuorumNode node of a quorum}, whose other nodes
 * have the lock by this request up to now: it comes before requests that wait, and is not
 * refused because it has ended on this node, unless a later request of its contender is
 * known here
 * @since 0.1.0
 */
public record AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits,
		@Nullable RequestId beside, Duration ttl, Duration keepFor, Duration waiting, long highestToken,
		boolean retakes) {

	/**
	 * An attempt to take one exclusive lock.
	 * @param key the lock
	 * @param request the request id; the same one when the attempt is repeated
	 * @param ttl the lease
	 * @param keepFor how long the lock stays taken at least; zero for not
	 * @param waiting lifetime of the waiter entry; zero for none
	 */
	public AcquireCommand(LockKey key, RequestId request, Duration ttl, Duration keepFor, Duration waiting) {
		this(List.of(key), request, LockMode.EXCLUSIVE, 0, null, ttl, keepFor, waiting, 0, false);
	}

}
