package io.distributedlock.ownaspect;

import io.distributedlock.annotation.DistributedLock;

/** The three versions of a method that run side by side while instances are replaced. */
class Rollout {

	private static final String OLD_LOCK = "orders:42";

	@HomeMadeLock(value = OLD_LOCK, waitMillis = 0, newTransaction = false)
	public void withTheOldLock(Runnable body) {
		body.run();
	}

	@HomeMadeLock(value = OLD_LOCK, waitMillis = 0, newTransaction = false)
	@DistributedLock(name = "orders", key = "'42'", waitFor = "0")
	public void withBoth(Runnable body) {
		body.run();
	}

	@DistributedLock(name = "orders", key = "'42'", waitFor = "0")
	public void withTheNewLock(Runnable body) {
		body.run();
	}

}
