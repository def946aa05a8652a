package io.distributedlock.engine;

import io.distributedlock.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The leases that each thread holds through locks, the newest first. A thread holds few,
 * and mostly closes the newest.
 */
final class ThreadLeases {

	private final ThreadLocal<@Nullable Hold> newest = new ThreadLocal<>();

	/** Return the innermost lease that the calling thread holds through one lock. */
	@Nullable Lease innermost(ThreadLeaseLock lock) {
		for (Hold hold = this.newest.get(); hold != null; hold = hold.older) {
			if (hold.lock.equals(lock)) {
				return hold.lease;
			}
		}
		return null;
	}

	void enter(ThreadLeaseLock lock, Lease lease) {
		this.newest.set(new Hold(lock, lease, this.newest.get()));
	}

	Lease exit(ThreadLeaseLock lock) {
		Hold newer = null;
		Hold hold = this.newest.get();
		while (hold != null && !hold.lock.equals(lock)) {
			newer = hold;
			hold = hold.older;
		}
		if (hold == null) {
			throw lock.notHeld();
		}
		if (newer != null) {
			newer.older = hold.older;
		}
		else if (hold.older != null) {
			this.newest.set(hold.older);
		}
		else {
			this.newest.remove();
		}
		return hold.lease;
	}

	/** A lease that a thread holds through a lock. */
	private static final class Hold {

		private final ThreadLeaseLock lock;

		private final Lease lease;

		private @Nullable Hold older;

		Hold(ThreadLeaseLock lock, Lease lease, @Nullable Hold older) {
			this.lock = lock;
			this.lease = lease;
			this.older = older;
		}

	}

}
