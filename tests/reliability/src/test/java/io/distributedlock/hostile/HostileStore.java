package io.distributedlock.hostile;

import java.util.Set;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;

/** A store to try hostile keys on, which shows the traces that they left. */
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

	/** Return whether the store has no listener any more. */
	boolean isDeserted();

	@Override
	void close();

}
