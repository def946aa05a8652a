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
 * @param mode the kind of lock, neither {@code DEFAULT} nor {@code WRITE}, which is
 * {@code EXCLUSIVE}
 * @param permits how many requests may hold a semaphore at once; of other modes zero
 * @param beside of a reader an exclusive request of the same owner that holds the lock
 * and does not stand in its way, else {@code null}
 * @param ttl the lease
 * @param keepFor the locks stay taken at least this long after this acquisition, whatever
 * happens to their holder; zero for not
 * @param highestToken the largest token this instance has seen; the new one is larger
 * @param waiting how long the word that this instance waits for the lock is good if the
 * lock is busy; zero leaves no word
 * @param approach in which way the request comes to the locks
 * @since 0.1.0
 */
public record AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits,
		@Nullable RequestId beside, Duration ttl, Duration keepFor, long highestToken, Duration waiting,
		Approach approach) {

	/**
	 * An attempt in turn.
	 * @param keys the locks
	 * @param request the request id; the same one when the attempt is repeated
	 * @param mode the kind of lock
	 * @param permits how many requests may hold a semaphore at once
	 * @param beside of a reader the exclusive request of its owner, else {@code null}
	 * @param ttl the lease
	 * @param keepFor the locks stay taken at least this long
	 * @param highestToken the largest token this instance has seen
	 * @param waiting how long the word that this instance waits is good
	 */
	public AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits, @Nullable RequestId beside,
			Duration ttl, Duration keepFor, long highestToken, Duration waiting) {
		this(keys, request, mode, permits, beside, ttl, keepFor, highestToken, waiting, Approach.IN_TURN);
	}

	/**
	 * An attempt to take exclusive locks.
	 * @param keys the locks
	 * @param request the request id; the same one when the attempt is repeated
	 * @param ttl the lease
	 * @param keepFor the locks stay taken at least this long
	 * @param highestToken the largest token this instance has seen
	 * @param waiting how long the word that this instance waits is good
	 */
	public AcquireCommand(List<LockKey> keys, RequestId request, Duration ttl, Duration keepFor, long highestToken,
			Duration waiting) {
		this(keys, request, LockMode.EXCLUSIVE, 0, null, ttl, keepFor, highestToken, waiting);
	}

	/**
	 * An attempt to take one exclusive lock.
	 * @param key the lock
	 * @param request the request id; the same one when the attempt is repeated
	 * @param ttl the lease
	 * @param keepFor the lock stays taken at least this long
	 * @param highestToken the largest token this instance has seen
	 * @param waiting how long the word that this instance waits is good
	 */
	public AcquireCommand(LockKey key, RequestId request, Duration ttl, Duration keepFor, long highestToken,
			Duration waiting) {
		this(List.of(key), request, ttl, keepFor, highestToken, waiting);
	}

	/**
	 * The same command with another approach.
	 * @param other in which way the request comes to the locks
	 * @return the command
	 */
	public AcquireCommand with(Approach other) {
		return new AcquireCommand(this.keys, this.request, this.mode, this.permits, this.beside, this.ttl, this.keepFor,
				this.highestToken, this.waiting, other);
	}

}
