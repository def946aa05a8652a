package io.distributedlock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Answers about locks for people and monitoring, and takes locks away for operators. A
 * registry of this library is the inspector of its own locks as well. Thread-safe.
 * <p>
 * Every answer is old when it arrives: it is no reason to go on without acquiring the
 * lock.
 *
 * @since 0.1.0
 */
public interface LockInspector {

	/**
	 * Ask the store about the lock for a key without a name.
	 * @param key the key, not blank
	 * @return what the store says
	 * @see #inspect(String, String)
	 */
	default LockInspection inspect(String key) {
		return inspect("", key);
	}

	/**
	 * Ask the store who has a lock, wherever that is, and how many wait for it. Blocks
	 * for a command, and for one more for the name of each holding instance that is not
	 * known yet. For people and monitoring: the answer is old when it arrives.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return what the store says
	 * @throws LockStoreException if the store could not be asked
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	LockInspection inspect(String name, String key);

	/**
	 * Returns whether the lock for a key without a name is held or kept anywhere.
	 * @param key the key, not blank
	 * @return whether it was when the store was asked
	 * @see #inspect(String, String)
	 */
	default boolean isLocked(String key) {
		return inspect(key).isLocked();
	}

	/**
	 * Returns whether a lock is held or kept anywhere.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return whether it was when the store was asked
	 * @see #inspect(String, String)
	 */
	default boolean isLocked(String name, String key) {
		return inspect(name, key).isLocked();
	}

	/**
	 * Take a lock away from those that hold it, anywhere, as an operator does when a
	 * holder hangs. <strong>Their bodies still run</strong>, so that two may run at once:
	 * the protected resource needs the fencing token. Their leases are lost, the next
	 * waiter is woken or has the lock, and tokens go on growing. What this instance has
	 * lost it knows when this returns. Another one that listens to wake-ups, as it does
	 * while callers wait there, is notified at once, any other by its next renewal. A
	 * lock that is only kept is free as well. Blocks for a command, or two.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @param request the only {@linkplain LockInspection.Holder#request() request} to
	 * take it from, so that a later holder keeps it; {@code null} for all
	 * @return how many holders have lost it; a store may stop at 1,000
	 * @throws LockStoreException if the store could not be asked, and then it is not
	 * known whether the lock was taken away
	 * @throws UnsupportedOperationException if the store cannot do that
	 */
	int forceRelease(String name, String key, @Nullable String request);

	/**
	 * The locks that this instance holds now. Asks no store. Looks at every lock that is
	 * held here and at the stack of each owner thread, so it is for people and not for a
	 * loop.
	 * @return the locks, in no particular order
	 */
	List<HeldLock> held();

	/**
	 * The callers of this instance that wait now. Asks no store, and costs as much as
	 * {@link #held()}.
	 * @return the callers, those of one lock in the order in which they are served
	 */
	List<WaitingCaller> waiting();

	/**
	 * The locks that this instance has lost last: 20 at most, the newest one first.
	 * @return the losses since this registry was created
	 */
	List<LostLock> recentLosses();

	/**
	 * The identity of this registry in the store. Messages of other processes name it
	 * where it holds a lock.
	 * @return hexadecimal digits, others after a jump of a clock; empty if it has no
	 * identity
	 */
	String instance();

	/**
	 * The name of this registry for people.
	 * @return such as {@code orders@host-1 (4711)}, or empty if it has no name
	 */
	String instanceName();

}
