package io.distributedlock;

/**
 * The kind of a lock. {@link #EXCLUSIVE}, {@link #FAIR} and {@link #READ} of one key
 * exclude each other as their meaning says; a {@link #SEMAPHORE} of a key that one of
 * them lives under, or the reverse, is a {@link LockStoreException}.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * One holder, also the writer beside {@link #READ}. The waiters of one instance are
	 * served in order, instances are not. What a lock is where nothing else is said.
	 */
	EXCLUSIVE,

	/** One holder, and first come first served across all instances. */
	FAIR,

	/**
	 * Any number of readers, and no holder of another mode. Readers do not overtake a
	 * waiting holder of another mode, and those that wait while the lock is held that way
	 * get it before the next such holder. A holder may take the lock for reading as well,
	 * and release the first lease before the second; a reader that asks for another mode
	 * is refused with {@link LockUpgradeException}.
	 */
	READ,

	/**
	 * As many holders as there are permits; a call takes one. Not re-entrant. All callers
	 * have to name the same number of permits.
	 */
	SEMAPHORE;

	/**
	 * Whether there is one holder at a time.
	 * @return true for all but {@link #READ} and {@link #SEMAPHORE}
	 */
	public boolean isExclusive() {
		return this != READ && this != SEMAPHORE;
	}

}
