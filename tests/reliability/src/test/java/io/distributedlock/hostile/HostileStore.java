package io.distributedlock.hostile;

import java.util.Set;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;

/** What hostile keys are tried on, and how to see what they left there. */
interface HostileStore extends AutoCloseable {

	/** A store of one more instance on the same locks. */
	LockStore createStore();

	/** Forget everything. */
	void clear();

	/** The locks that are there, held or remembered. */
	Set<String> stored();

	/** How many of the locks have an owner. */
	int held();

	boolean isHeld(LockKey key);

	/** How many of the locks have an instance that waits. */
	int waitedFor();

	/** Whether the store has no listener any more. */
	boolean isDeserted();

	@Override
	void close();

}
