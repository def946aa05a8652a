package io.distributedlock;

/**
 * The kind of a lock. {@link #EXCLUSIVE}, {@link #FAIR} and {@link #READ} exclude each
 * other on one key, as described below. A key that is in use in one of these modes cannot
 * be a {@link #SEMAPHORE}, nor the reverse: that is a {@link LockStoreException}.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * A single holder, also the writer beside {@link #READ}. The waiters of one instance
	 * are served in order; an order of instances is not promised. This is the default.
	 */
	EXCLUSIVE,

	/** A single holder, and first come first served across all instances. */
	FAIR,

	/**
	 * Any number of readers, and no holder of another mode. A reader does not overtake a
	 * waiting request of another mode. Readers that wait while a holder of another mode
	 * has the lock come before the next such holder. A holder of another mode may take
	 * the lock for reading as well, and release the first lease before the second. A
	 * reader that asks for another mode is refused with {@link LockUpgradeException}.
	 */
	READ,

	/**
	 * As many holders as there are permits; a call takes one, or several. Not re-entrant.
	 * All callers have to name the same number of permits, unless it was set for all.
	 */
	SEMAPHORE;

	/**
	 * Return whether there is only one holder at a time.
	 * @return true for all but {@link #READ} and {@link #SEMAPHORE}
	 */
	public boolean isExclusive() {
		return this != READ && this != SEMAPHORE;
	}

}
