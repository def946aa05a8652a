package io.distributedlock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Answers about locks for people and monitoring, and takes locks away for operators. A
 * registry of this library is the inspector of its own locks as well. Thread-safe.
 * <p>
 * Every answer is old when it arrives: never use it instead of acquiring the lock.
 *
 * @since 0.1.0
 */
public interface LockInspector {

	/**
	 * Ask the store about the lock for a key without a name.
	 * @param key the key, not blank
	 * @return the state of the lock in the store
	 * @see #inspect(String, String)
	 */
	default LockInspection inspect(String key) {
		return inspect("", key);
	}

	/**
	 * Ask the store for the holders of a lock in all instances, and for the number of
	 * waiters. Blocks for a command, and for one more for each holding instance whose
	 * name is not known yet. For people and monitoring: the answer is old when it
	 * arrives.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the state of the lock in the store
	 * @throws LockStoreException if the store is unavailable or misconfigured
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	LockInspection inspect(String name, String key);

	/**
	 * Return whether the lock for a key without a name is held or kept anywhere.
	 * @param key the key, not blank
	 * @return {@code true} if it was when the store was asked
	 * @see #inspect(String, String)
	 */
	default boolean isLocked(String key) {
		return inspect(key).isLocked();
	}

	/**
	 * Return whether a lock is held or kept anywhere.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return {@code true} if it was when the store was asked
	 * @see #inspect(String, String)
	 */
	default boolean isLocked(String name, String key) {
		return inspect(name, key).isLocked();
	}

	/**
	 * Take a lock away from its holders in all instances, as an operator does when a
	 * holder hangs. <strong>Their bodies still run</strong>, so that two may run at once:
	 * the protected resource needs the fencing token. Their leases are lost, the next
	 * waiter is woken or has the lock, and tokens go on growing. This instance knows its
	 * own losses when this returns. Another instance that listens to wake-ups, as it does
	 * while callers wait there, is notified at once; any other by its next renewal. Until
	 * then a single try there finds the lock busy, and an owner that reads is refused the
	 * write lock. A lock that is only kept is freed as well. Blocks for a command, or
	 * two.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @param request the only {@linkplain LockInspection.Holder#request() request} to
	 * take it from, so that a later holder keeps it; {@code null} for all
	 * @return how many holders have lost it; a store may stop at 1,000
	 * @throws LockStoreException if the store is unavailable or misconfigured; then it is
	 * not known whether the lock was taken away
	 * @throws UnsupportedOperationException if the store cannot do that
	 */
	int forceRelease(String name, String key, @Nullable String request);

	/**
	 * The locks that this instance holds now. Asks no store. Looks at every lock that is
	 * held here and at the stack of each owner thread: for people, not for a loop.
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
	 * Return whether a transaction on the database of the store commits only while its
	 * holder has the lock, because the owner is checked in that transaction.
	 * @return {@code false} by default: only the lease is checked before a commit
	 */
	default boolean checksCommits() {
		return false;
	}

	/**
	 * The identity of this registry in the store. Messages of other processes name it
	 * while it holds a lock.
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
