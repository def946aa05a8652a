package io.distributedlock;

import java.time.Duration;
import java.util.List;

/**
 * What a store knows of a lock at one moment; it may be out of date when it is read.
 * Decide nothing by it: only acquiring a lock gives it. Immutable.
 *
 * @param mode what kind of lock it is in use as: {@link LockMode#SEMAPHORE},
 * {@link LockMode#READ} while readers have it, else {@link LockMode#EXCLUSIVE}; a store
 * does not tell apart the modes that have one holder
 * @param permits of a semaphore that is in use or was lately, else zero
 * @param holders those that hold it, 100 at most
 * @param holderCount how many hold it
 * @param waiting how many waiter entries there are: of instances for exclusive locks and
 * permits, however many callers wait in each, and of requests for fair and read locks
 * @param keptFor how long the lock stays taken by {@code keepFor}, whatever its holder
 * does; zero if it is not
 * @param silentNodes the nodes of a quorum that did not answer; a holder that they and
 * the others could make a majority for is among the holders
 * @since 0.1.0
 */
public record LockInspection(LockMode mode, int permits, List<Holder> holders, int holderCount, int waiting,
		Duration keptFor, List<String> silentNodes) {

	/** The most holders that an inspection names. */
	public static final int MOST_HOLDERS = 100;

	/**
	 * Whether the lock, or a permit, is held, or the lock is kept.
	 * @return whether it is in use
	 */
	public boolean isLocked() {
		return this.holderCount > 0 || this.keptFor.compareTo(Duration.ZERO) > 0;
	}

	/**
	 * How many permits of a semaphore are free.
	 * @return the number; zero where it is no semaphore, or the store knows nothing of it
	 */
	public int freePermits() {
		return Math.max(0, this.permits - this.holderCount);
	}

	/**
	 * One that holds the lock.
	 *
	 * @param request the request that has it, 32 hexadecimal digits; it stays the same
	 * while an instance hands the lock on among its callers
	 * @param instanceName what the instance calls itself, empty where that is not known
	 * @param fencingToken its token, or the last one that its instance has reserved for
	 * callers to which it may hand the lock on
	 * @param remaining how long the lease lasts if it is not renewed
	 */
	public record Holder(String request, String instanceName, long fencingToken, Duration remaining) {

		/**
		 * The instance that holds it.
		 * @return 16 hexadecimal digits, as in messages
		 */
		public String instance() {
			return this.request.substring(0, 16);
		}

	}

}
