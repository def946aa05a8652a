package io.distributedlock.store;

import io.distributedlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A feature that a store may have besides exclusive locks. A request for a mode, a delay,
 * several permits or a handle that is missing is refused by its name, before a command is
 * sent, with a {@link io.distributedlock.LockStoreException} of kind
 * {@code MISCONFIGURED}. Without the other features locks work all the same: keys are
 * taken one by one, and waiters poll.
 * <p>
 * A store adds those that it has to the ones that it inherits. The complement of those
 * that it lacks would claim each feature of a later version.
 *
 * @since 0.1.0
 */
public enum StoreCapability {

	/** Locks of mode {@link LockMode#FAIR}. */
	FAIR,

	/** Locks of mode {@link LockMode#READ}. */
	READ,

	/** Locks of mode {@link LockMode#SEMAPHORE}. */
	SEMAPHORE,

	/**
	 * Several locks are taken by one command, if
	 * {@link LockStore#takesTogether(java.util.List)} returns {@code true}. Without it
	 * they are always taken one after the other.
	 */
	KEY_SETS,

	/**
	 * Waiting instances are woken when a lock becomes free. Without it waiters attempt
	 * again, first after 25 ms and then twice as long each time, up to the poll interval.
	 */
	WAKE_UPS,

	/**
	 * A release, or the end of a request, gives an exclusive lock to the first waiter
	 * entry that names a {@linkplain AcquireCommand#claim() claim}. It does so in the
	 * same step, and {@linkplain WakeUpListener#claimed notifies} the instance of the
	 * entry. Needs {@link #WAKE_UPS}. Without it waiters are woken, and others may
	 * overtake them. A store that cannot tell whether its messages arrive leaves it out,
	 * or always answers {@link AcquireOutcome.Busy#next() next} as {@code false}, so that
	 * waiters attempt often.
	 */
	CLAIMS,

	/**
	 * A request {@linkplain AcquireCommand#take() takes} several permits of a semaphore,
	 * and their number can be {@linkplain StoreMonitor#setPermits set}.
	 */
	SEVERAL_PERMITS,

	/**
	 * An exclusive or fair lock stays {@linkplain AcquireCommand#lockDelay() closed} for
	 * a time after the lease of its holder has run out.
	 */
	LOCK_DELAY,

	/**
	 * Other processes than the holder renew and release a lease, with
	 * {@linkplain RenewalMarks#ANY any marks}.
	 */
	HANDLES,

	/**
	 * Commands may run on the thread of the caller that waits for them. The engine
	 * {@linkplain CallerThread lends} threads to no other store.
	 */
	CALLER_THREAD;

	/**
	 * The capability that a store needs for locks of a mode.
	 * @param mode the mode
	 * @return the capability, or {@code null} for exclusive locks, which every store has
	 */
	public static @Nullable StoreCapability of(LockMode mode) {
		return switch (mode) {
			case FAIR -> FAIR;
			case READ -> READ;
			case SEMAPHORE -> SEMAPHORE;
			case EXCLUSIVE -> null;
		};
	}

}
