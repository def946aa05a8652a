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
 * @param mode the mode
 * @param permits how many requests may hold a semaphore at once; zero for other modes
 * @param beside for a reader, an exclusive request of the same owner that holds the lock
 * and does not block this one, else {@code null}
 * @param ttl the lease
 * @param keepFor the locks stay taken at least this long after this acquisition, also
 * without their holder; zero for not. The time of a lock that a release gave to the
 * {@code claim} begins with the next attempt of the request
 * @param waiting lifetime of the waiter entry that is left in the store if the lock is
 * busy; zero leaves none
 * @param highestToken the largest token this instance has seen; the new one is larger
 * @param retakes {@code true} only for a {@linkplain QuorumNode node of a quorum} whose
 * other nodes have the lock by this request up to now. The request comes before requests
 * that wait. Its end on this node does not matter: it is refused only if the lock was
 * taken away from it, or a later request of its contender is known here
 * @param spareTokens how many tokens after the granted one are reserved for this request.
 * With them the instance hands the lock on among its callers without the store. A request
 * that has the lock already gets a new token then, since these callers may have come
 * after it got the lock. Only for an exclusive lock, else zero
 * @param claim the lease of the request if a release gives the lock to its waiter entry;
 * zero if it is to be woken instead. Only for exclusive and fair locks, and a store with
 * {@link StoreCapability#CLAIMS}.
 * <ul>
 * <li>An exclusive request for several locks waits for the first busy one. Given that
 * one, it keeps it reserved until it has all of them. While it waits for another, the
 * store passes on reserved locks behind the busy one in the order of the keys, and all of
 * them if the busy one has no holder.</li>
 * <li>A fair request for one lock is woken all the same. Its claim says that it listens:
 * its entry lasts as long as the store gets such attempts of any fair request of its
 * instance for the lock. Once woken, it has to attempt within the lifetime of the last
 * one.</li>
 * </ul>
 * @param lockDelay time for which the locks stay closed for all requests after the lease
 * has run out without a release or another end of the request; zero for not. The delay of
 * a lock that a release gave to the {@code claim} counts from the next attempt of the
 * request on. Only for an exclusive or fair lock, and a store with
 * {@link StoreCapability#LOCK_DELAY}
 * @param take how many permits of a semaphore the request takes, all or none; 1 for other
 * modes. More only for a store with {@link StoreCapability#SEVERAL_PERMITS}
 * @since 0.1.0
 */
public record AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits,
		@Nullable RequestId beside, Duration ttl, Duration keepFor, Duration waiting, long highestToken,
		boolean retakes, int spareTokens, Duration claim, Duration lockDelay, int take) {

	/**
	 * Check that only an exclusive lock has spare tokens, and only one with one holder a
	 * delay.
	 */
	public AcquireCommand {
		if (spareTokens > 0 && mode != LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException(
					"Spare tokens are only for an exclusive lock, not for the mode " + mode + ": " + spareTokens);
		}
		if (!lockDelay.isZero() && !mode.isExclusive()) {
			throw new IllegalArgumentException(
					"A delay is only for a lock with one holder, not for the mode " + mode + ": " + lockDelay);
		}
		if (take < 1 || (take > 1 && mode != LockMode.SEMAPHORE)) {
			throw new IllegalArgumentException(
					"A request takes one lock, or at least one permit, but not " + take + " in the mode " + mode);
		}
	}

	/**
	 * An attempt without a delay, for one permit.
	 * @param keys the locks
	 * @param request the request id; the same one when the attempt is repeated
	 * @param mode the mode
	 * @param permits how many requests may hold a semaphore at once, or zero
	 * @param beside for a reader, an exclusive request of the same owner, or {@code null}
	 * @param ttl the lease
	 * @param keepFor how long the locks stay taken at least; zero for not
	 * @param waiting lifetime of the waiter entry; zero for none
	 * @param highestToken the largest token this instance has seen
	 * @param retakes only for a {@linkplain QuorumNode node of a quorum}
	 * @param spareTokens how many tokens are reserved after the granted one
	 * @param claim the lease of the request if a release gives it the lock, or zero
	 */
	public AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits, @Nullable RequestId beside,
			Duration ttl, Duration keepFor, Duration waiting, long highestToken, boolean retakes, int spareTokens,
			Duration claim) {
		this(keys, request, mode, permits, beside, ttl, keepFor, waiting, highestToken, retakes, spareTokens, claim,
				Duration.ZERO, 1);
	}

	/**
	 * Copy this attempt for several permits.
	 * @param permits how many permits of a semaphore the request takes
	 * @return an attempt
	 */
	public AcquireCommand taking(int permits) {
		return new AcquireCommand(this.keys, this.request, this.mode, this.permits, this.beside, this.ttl, this.keepFor,
				this.waiting, this.highestToken, this.retakes, this.spareTokens, this.claim, this.lockDelay, permits);
	}

	/**
	 * Copy this attempt with a delay.
	 * @param delay the time for which the locks stay closed after a loss
	 * @return an attempt
	 */
	public AcquireCommand withLockDelay(Duration delay) {
		return new AcquireCommand(this.keys, this.request, this.mode, this.permits, this.beside, this.ttl, this.keepFor,
				this.waiting, this.highestToken, this.retakes, this.spareTokens, this.claim, delay, this.take);
	}

	/**
	 * An attempt without a claim.
	 * @param keys the locks
	 * @param request the request id; the same one when the attempt is repeated
	 * @param mode the mode
	 * @param permits how many requests may hold a semaphore at once, or zero
	 * @param beside for a reader, an exclusive request of the same owner, or {@code null}
	 * @param ttl the lease
	 * @param keepFor how long the locks stay taken at least; zero for not
	 * @param waiting lifetime of the waiter entry; zero for none
	 * @param highestToken the largest token this instance has seen
	 * @param retakes only for a {@linkplain QuorumNode node of a quorum}
	 * @param spareTokens how many tokens are reserved after the granted one
	 */
	public AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits, @Nullable RequestId beside,
			Duration ttl, Duration keepFor, Duration waiting, long highestToken, boolean retakes, int spareTokens) {
		this(keys, request, mode, permits, beside, ttl, keepFor, waiting, highestToken, retakes, spareTokens,
				Duration.ZERO);
	}

	/**
	 * Copy this attempt without a claim.
	 * @return an attempt whose waiter entry is woken
	 */
	public AcquireCommand withoutClaim() {
		return new AcquireCommand(this.keys, this.request, this.mode, this.permits, this.beside, this.ttl, this.keepFor,
				this.waiting, this.highestToken, this.retakes, this.spareTokens, Duration.ZERO, this.lockDelay,
				this.take);
	}

	/**
	 * An attempt without spare tokens.
	 * @param keys the locks
	 * @param request the request id; the same one when the attempt is repeated
	 * @param mode the mode
	 * @param permits how many requests may hold a semaphore at once, or zero
	 * @param beside for a reader, an exclusive request of the same owner, or {@code null}
	 * @param ttl the lease
	 * @param keepFor how long the locks stay taken at least; zero for not
	 * @param waiting lifetime of the waiter entry; zero for none
	 * @param highestToken the largest token this instance has seen
	 * @param retakes only for a {@linkplain QuorumNode node of a quorum}
	 */
	public AcquireCommand(List<LockKey> keys, RequestId request, LockMode mode, int permits, @Nullable RequestId beside,
			Duration ttl, Duration keepFor, Duration waiting, long highestToken, boolean retakes) {
		this(keys, request, mode, permits, beside, ttl, keepFor, waiting, highestToken, retakes, 0);
	}

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
