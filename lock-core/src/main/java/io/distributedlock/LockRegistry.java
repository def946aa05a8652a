package io.distributedlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the application. Thread-safe; one bean serves all.
 *
 * @since 0.1.0
 */
public interface LockRegistry {

	/**
	 * The {@linkplain #getLock(String, String) lock} for a key without a name.
	 * @param key the key, not blank
	 * @return the lock; it costs nothing to get it again
	 */
	default LeaseLock getLock(String key) {
		return getLock("", key);
	}

	/**
	 * The lock for a key in a namespace, owned by threads and re-entrant. It is the lock
	 * of requests and annotations of this name, or of those without a name, and the
	 * profile {@code distributed-lock.locks.<name>} counts for it as for those, but for
	 * its {@code wait}: the methods of a lock say themselves how long they wait.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the lock; it costs nothing to get it again
	 */
	LeaseLock getLock(String name, String key);

	/**
	 * The {@linkplain #getReadWriteLock(String, String) read lock and write lock} for a
	 * key without a name.
	 * @param key the key, not blank
	 * @return the locks; it costs nothing to get them again
	 */
	default LeaseReadWriteLock getReadWriteLock(String key) {
		return getReadWriteLock("", key);
	}

	/**
	 * The read lock and the write lock for a key, as {@link #getLock(String, String)}. A
	 * mode in the profile replaces those of both locks.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the locks; it costs nothing to get them again
	 * @throws UnsupportedOperationException if this registry has exclusive locks only
	 */
	default LeaseReadWriteLock getReadWriteLock(String name, String key) {
		throw new UnsupportedOperationException("This registry has no read locks");
	}

	/**
	 * Wait for a lock. The lease is not bound to a thread unless the request has an
	 * owner.
	 * @param request what to lock and how
	 * @return the lease, to be closed
	 * @throws LockNotAcquiredException if the lock stayed taken for the whole budget
	 * @throws LockStoreException if the store could not be asked
	 * @throws LockException if the answers of the store come on the calling thread
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws LockUpgradeException if the request's owner has the lock for reading only,
	 * and asks for another mode
	 * @throws LockLostException if the request's owner has the lock already, and its
	 * lease was lost while it was entered again
	 * @throws IllegalStateException if the request's owner has the lock already, and asks
	 * for a longer {@link LockRequest#keepFor keepFor} or enters it too often
	 * @throws IllegalArgumentException if the request cannot work
	 */
	Lease acquire(LockRequest request);

	/**
	 * As {@link #acquire}, and throws what that throws, but returns nothing instead of
	 * {@link LockNotAcquiredException}.
	 * @param request what to lock and how
	 * @return the lease, to be closed, or empty if the lock stayed taken
	 * @throws LockUpgradeException if the request's owner has the lock for reading only,
	 * and asks for another mode: that is not "busy", since waiting could never help
	 */
	default Optional<Lease> tryAcquire(LockRequest request) {
		try {
			return Optional.of(acquire(request));
		}
		catch (LockNotAcquiredException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Ask for a lock without blocking. Cancelling the future of the stage abandons the
	 * request; nothing is left behind.
	 * <p>
	 * A lease is delivered on one of four threads of the library's, on which its
	 * continuations run. They may wait for a {@linkplain Lease#release() release}, but
	 * should not block otherwise: use the {@code Async} methods of the stage with an
	 * executor of your own for that. A lease that finds no free thread until its budget
	 * has ended (without budget, the time-out of a command) and 100 ms more is given
	 * back, and the stage fails with a {@link LockException} that says so: the lock was
	 * neither busy nor the store away. What fails completes on other threads, those of
	 * {@link Lease#release()}.
	 * @param request what to lock and how
	 * @return completes with the lease, or exceptionally as {@link #acquire} throws or
	 * with the {@link LockException} of a lease that could not be delivered
	 */
	CompletionStage<Lease> acquireAsync(LockRequest request);

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
	default LockInspection inspect(String name, String key) {
		throw new UnsupportedOperationException("This registry cannot inspect locks");
	}

	/**
	 * Whether the lock for a key without a name is held or kept anywhere.
	 * @param key the key, not blank
	 * @return whether it was when the store was asked
	 * @see #inspect(String, String)
	 */
	default boolean isLocked(String key) {
		return inspect(key).isLocked();
	}

	/**
	 * Whether a lock is held or kept anywhere.
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
	 * what the lock protects needs the fencing token. Their leases are lost, the next
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
	default int forceRelease(String name, String key, @Nullable String request) {
		throw new UnsupportedOperationException("This registry cannot take locks away");
	}

	/**
	 * What this instance holds now. Asks no store. Looks at every lock that is held here
	 * and at the stack of each owner thread, so it is for people and not for a loop.
	 * @return the locks, in no particular order
	 */
	default List<HeldLock> held() {
		return List.of();
	}

	/**
	 * Which callers of this instance wait now. Asks no store, and costs what
	 * {@link #held()} does.
	 * @return the callers, those of one lock in the order in which they are served
	 */
	default List<WaitingCaller> waiting() {
		return List.of();
	}

	/**
	 * The locks that this instance has lost last: 20 at most, the newest one first.
	 * @return the losses since this registry was created
	 */
	default List<LostLock> recentLosses() {
		return List.of();
	}

	/**
	 * What the store knows this registry by, and what messages of other processes name
	 * where it holds a lock.
	 * @return hexadecimal digits, others after a jump of a clock; empty if it has no
	 * identity
	 */
	default String instance() {
		return "";
	}

	/**
	 * What this registry is called beside that, for people.
	 * @return such as {@code orders@host-1 (4711)}, or empty if it has no name
	 */
	default String instanceName() {
		return "";
	}

}
