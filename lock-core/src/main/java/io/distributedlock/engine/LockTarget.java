package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.LockKey;

/**
 * The lock, or the set of locks, that one queue of this instance is for. Its monitor
 * guards the state of that queue, and of each grant what is said there.
 */
class LockTarget {

	final Instance instance;

	final List<LockKey> keys;

	final LockMode mode;

	/** {@code true} if the target is the exclusive lock of a single key. */
	final boolean plain;

	/**
	 * {@code true} while callers of this instance wait for the end of a held grant.
	 * Guarded by this.
	 */
	boolean awaited;

	LockTarget(Instance instance, List<LockKey> keys, LockMode mode) {
		this.instance = instance;
		this.keys = keys;
		this.mode = mode;
		this.plain = mode == LockMode.EXCLUSIVE && keys.size() == 1;
	}

}
