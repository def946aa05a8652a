package io.distributedlock.integration;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * The holds that each thread has by the locks of a registry. A hold whose loss was
 * reported by a {@code tryLock} is ended at once, but its {@code unlock()} is still to
 * come. A leader never calls that one.
 */
final class ThreadHolds {

	private final ThreadLocal<@Nullable Map<LeaseLock, Holds>> ofThread = new ThreadLocal<>();

	private @Nullable Holds find(LeaseLock lock) {
		Map<LeaseLock, Holds> all = this.ofThread.get();
		return (all != null) ? all.get(lock) : null;
	}

	/** Return whether the calling thread has holds that were not reported as lost. */
	boolean holds(LeaseLock lock) {
		Holds found = find(lock);
		return found != null && found.held > 0;
	}

	/** The calling thread has entered a lock. */
	void entered(LeaseLock lock) {
		Map<LeaseLock, Holds> all = this.ofThread.get();
		if (all == null) {
			all = new HashMap<>();
			this.ofThread.set(all);
		}
		all.computeIfAbsent(lock, (first) -> new Holds()).held++;
	}

	/**
	 * End all holds that the calling thread has of a lock, if their lease was lost.
	 * @return {@code true} if it was
	 */
	boolean endLost(LeaseLock lock) {
		boolean lost = holds(lock) && lock.lease().isLost();
		if (lost) {
			end(lock);
		}
		return lost;
	}

	/**
	 * End all holds that the calling thread has of a lock, which was lost while the
	 * thread attempted to enter it.
	 * @param entered {@code true} if the attempt has got a lease, which counts as no
	 * hold: it is released
	 */
	void endLost(LeaseLock lock, boolean entered) {
		if (entered) {
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				// The holds report the loss.
			}
		}
		end(lock);
	}

	/**
	 * End all holds that the calling thread has of a lock, which was lost: a lock that is
	 * only in doubt would be released under its holder.
	 */
	private void end(LeaseLock lock) {
		Holds found = find(lock);
		while (found != null && found.held > 0) {
			found.held--;
			found.ended++;
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				found.loss = ex;
			}
		}
	}

	/**
	 * End the newest hold of the calling thread, or one that has ended by its loss.
	 * @return {@code false} if it has none
	 * @throws LockLostException if it was lost, unless losses are ignored
	 */
	boolean exit(LeaseLock lock) {
		Holds found = find(lock);
		if (found == null) {
			return false;
		}
		if (found.held > 0) {
			found.held--;
			forgetUnused(lock, found);
			lock.unlock();
			return true;
		}
		found.ended--;
		forgetUnused(lock, found);
		if (found.loss != null) {
			throw found.loss;
		}
		return true;
	}

	private void forgetUnused(LeaseLock lock, Holds holds) {
		Map<LeaseLock, Holds> all = this.ofThread.get();
		if (all != null && holds.held + holds.ended == 0) {
			all.remove(lock);
			if (all.isEmpty()) {
				this.ofThread.remove();
			}
		}
	}

	/** The holds that a thread has of a lock. */
	private static final class Holds {

		private int held;

		/** The number of holds that have ended by their loss and are not unlocked yet. */
		private int ended;

		/** The last loss; {@code null} if there was none, or losses are ignored. */
		private @Nullable LockLostException loss;

	}

}
