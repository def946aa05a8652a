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
 * @param kind what kind of lock is taken
 * @param times how long things last
 * @param highestToken the largest token this instance has seen; the new one is larger
 * @param approach in which way the request comes to the locks
 * @since 0.1.0
 */
public record AcquireCommand(List<LockKey> keys, RequestId request, Kind kind, Times times, long highestToken,
		Approach approach) {

	/**
	 * An attempt in turn to take one exclusive lock.
	 * @param key the lock
	 * @param request the request id; the same one when the attempt is repeated
	 * @param times how long things last
	 */
	public AcquireCommand(LockKey key, RequestId request, Times times) {
		this(List.of(key), request, Kind.EXCLUSIVE, times, 0, Approach.IN_TURN);
	}

	/**
	 * The same command with another approach.
	 * @param other in which way the request comes to the locks
	 * @return the command
	 */
	public AcquireCommand with(Approach other) {
		return new AcquireCommand(this.keys, this.request, this.kind, this.times, this.highestToken, other);
	}

	/**
	 * The {@linkplain Kind#mode() mode}.
	 * @return neither {@code DEFAULT} nor {@code WRITE}
	 */
	public LockMode mode() {
		return this.kind.mode;
	}

	/**
	 * The {@linkplain Kind#permits() number of permits}.
	 * @return the number, or zero
	 */
	public int permits() {
		return this.kind.permits;
	}

	/**
	 * The exclusive request {@linkplain Kind#beside() beside} which a reader takes the
	 * lock.
	 * @return the request, or {@code null}
	 */
	public @Nullable RequestId beside() {
		return this.kind.beside;
	}

	/**
	 * The {@linkplain Times#ttl() lease}.
	 * @return a positive duration
	 */
	public Duration ttl() {
		return this.times.ttl;
	}

	/**
	 * How long the locks stay taken {@linkplain Times#keepFor() at least}.
	 * @return the duration, maybe zero
	 */
	public Duration keepFor() {
		return this.times.keepFor;
	}

	/**
	 * The lifetime of the {@linkplain Times#waiting() waiter entry}.
	 * @return the duration, maybe zero
	 */
	public Duration waiting() {
		return this.times.waiting;
	}

	/**
	 * What kind of lock is taken.
	 *
	 * @param mode the mode, neither {@code DEFAULT} nor {@code WRITE}, which is
	 * {@code EXCLUSIVE}
	 * @param permits how many requests may hold a semaphore at once; of other modes zero
	 * @param beside of a reader an exclusive request of the same owner that holds the
	 * lock and does not stand in its way, else {@code null}
	 */
	public record Kind(LockMode mode, int permits, @Nullable RequestId beside) {

		/** An exclusive lock. */
		public static final Kind EXCLUSIVE = new Kind(LockMode.EXCLUSIVE, 0, null);

		/**
		 * A lock that is no semaphore.
		 * @param mode the mode
		 * @return its kind
		 */
		public static Kind of(LockMode mode) {
			return (mode == LockMode.EXCLUSIVE) ? EXCLUSIVE : new Kind(mode, 0, null);
		}

	}

	/**
	 * How long things last.
	 *
	 * @param ttl the lease
	 * @param keepFor the locks stay taken at least this long after this acquisition,
	 * whatever happens to their holder; zero for not
	 * @param waiting lifetime of the waiter entry that is left in the store if the lock
	 * is busy; zero leaves none
	 */
	public record Times(Duration ttl, Duration keepFor, Duration waiting) {

		/**
		 * Times of an attempt that leaves no waiter entry.
		 * @param ttl the lease
		 * @return these times, the lock not kept
		 */
		public static Times of(Duration ttl) {
			return new Times(ttl, Duration.ZERO, Duration.ZERO);
		}

	}

}
