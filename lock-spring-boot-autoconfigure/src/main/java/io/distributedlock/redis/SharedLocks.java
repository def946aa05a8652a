package io.distributedlock.redis;

import java.util.concurrent.atomic.AtomicIntegerArray;

import io.distributedlock.store.LockKey;

/**
 * Which locks the short scripts could not handle lately, since others share them or queue
 * for them: some further commands go to the scripts for all modes at once, or each would
 * take two requests. A guess, which may be wrong for either kind of lock. Thread-safe.
 */
final class SharedLocks {

	private static final int COMMANDS = 16;

	private static final int SIZE = 256;

	/** By hash, for how many commands a lock is taken for shared. */
	private final AtomicIntegerArray commands = new AtomicIntegerArray(SIZE);

	/** A short script could not handle the lock. */
	void found(LockKey key) {
		this.commands.set(index(key), COMMANDS);
	}

	/** Whether the next command had better go to a script for all modes. */
	boolean isLikely(LockKey key) {
		int left = this.commands.get(index(key));
		if (left > 0) {
			this.commands.set(index(key), left - 1);
		}
		return left > 0;
	}

	private static int index(LockKey key) {
		int hash = key.hashCode();
		return (hash ^ (hash >>> 16)) & (SIZE - 1);
	}

}
