package io.distributedlock;

import java.time.Duration;
import java.util.List;

/**
 * The state of a lock in a store at one moment; it may be out of date when it is read.
 * Decide nothing by it: only acquiring a lock gives it. Immutable.
 *
 * @param mode the kind of lock that is in use: {@link LockMode#SEMAPHORE},
 * {@link LockMode#READ} while only readers have it, else {@link LockMode#EXCLUSIVE}, also
 * if its writer has it for reading as well; a store does not distinguish the modes that
 * have one holder
 * @param permits the permits of a semaphore that is in use or was recently, or whose
 * number was {@linkplain LockRegistry#setPermits set}, else zero
 * @param holders the holders, 100 at most
 * @param holderCount the number of holders; of a semaphore the number of permits that are
 * taken
 * @param waiting the number of waiter entries: for exclusive locks and permits one of an
 * instance for each set of keys, however many callers wait for that, and one of each
 * request for fair and read locks
 * @param keptFor how long the lock stays taken by {@code keepFor}, also without a holder,
 * or by {@code lockDelay} after the lease of its holder has run out; zero if it does not
 * @param silentNodes the nodes of a quorum that did not answer; {@code holders} includes
 * each request that could have a majority together with them
 * @since 0.1.0
 */
public record LockInspection(LockMode mode, int permits, List<Holder> holders, int holderCount, int waiting,
		Duration keptFor, List<String> silentNodes) {

	/** The maximum number of holders that an inspection names. */
	public static final int MOST_HOLDERS = 100;

	/**
	 * Return whether the lock, or a permit, is held, or the lock is kept.
	 * @return {@code true} if it is in use
	 */
	public boolean isLocked() {
		return this.holderCount > 0 || this.keptFor.compareTo(Duration.ZERO) > 0;
	}

	/**
	 * The number of free permits of a semaphore.
	 * @return the number; zero if it is no semaphore, or the store knows nothing of it
	 */
	public int freePermits() {
		return Math.max(0, this.permits - this.holderCount);
	}

	/**
	 * A holder of the lock: a reader, a writer or the owner of a permit, as the
	 * {@linkplain LockInspection#mode() mode} of the inspection says. A writer that has
	 * the lock for reading as well is two.
	 *
	 * @param request the request that has it, 32 hexadecimal digits; it stays the same
	 * while an instance hands the lock on among its callers
	 * @param instanceName the name that the instance announced, empty if it is not known
	 * @param fencingToken its token, or the last one that its instance has reserved for
	 * callers to which it may hand the lock on
	 * @param remaining how long the lease lasts if it is not renewed
	 * @param permits how many permits of a semaphore it has taken; 1 in other modes
	 */
	public record Holder(String request, String instanceName, long fencingToken, Duration remaining, int permits) {

		/**
		 * The instance that holds it.
		 * @return 16 hexadecimal digits, as in messages
		 */
		public String instance() {
			return this.request.substring(0, 16);
		}

	}

}
