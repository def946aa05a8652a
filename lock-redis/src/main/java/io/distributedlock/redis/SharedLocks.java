package io.distributedlock.redis;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * Which locks could not be handled lately without their sorted sets, since others share
 * them or queue for them, and which requests read or have permits: their commands go to
 * the scripts for all modes with all keys at once, or each would take two requests. A
 * guess, which may be wrong in either way. Thread-safe.
 */
final class SharedLocks {

	private static final int COMMANDS = 16;

	private static final int SIZE = 256;

	/** By hash, for how many commands a lock is taken for shared. */
	private final AtomicIntegerArray commands = new AtomicIntegerArray(SIZE);

	/** The places of requests that read or have permits; guarded by itself. */
	private final BitSet places = new BitSet();

	/** Whether any lock was ever shared or queued for. */
	volatile boolean inUse;

	/** A request comes. */
	void note(RequestId request, boolean shares) {
		if (shares) {
			this.inUse = true;
		}
		synchronized (this.places) {
			this.places.set(request.place(), shares);
		}
	}

	/** Whether a request reads or has a permit. */
	boolean isLikely(RequestId request) {
		synchronized (this.places) {
			return this.places.get(request.place());
		}
	}

	/** Whether the next command of a request had better have all keys. */
	boolean isLikely(RequestId request, List<LockKey> locks) {
		return isLikely(request) || isLikely(locks.get(0));
	}

	/** A script could not handle the lock without its sorted sets. */
	void found(LockKey key) {
		this.inUse = true;
		this.commands.set(index(key), COMMANDS);
	}

	/** Whether the next command for a lock had better have all keys. */
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
