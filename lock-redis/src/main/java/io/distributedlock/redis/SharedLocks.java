package io.distributedlock.redis;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * Locks that were lately shared or queued for, so that they needed their sorted sets, and
 * requests that read or have permits. Their commands go to the scripts for all modes with
 * all keys at once, or each would take two requests. A guess, which may be wrong in
 * either way. Thread-safe.
 */
final class SharedLocks {

	private static final int COMMANDS = 16;

	private static final int SIZE = 256;

	/** Number of next commands for which a lock counts as shared, by its hash. */
	private final AtomicIntegerArray commands = new AtomicIntegerArray(SIZE);

	/** The places of requests that read or have permits; guarded by itself. */
	private final BitSet places = new BitSet();

	/** Set once a lock was shared or queued for. */
	volatile boolean inUse;

	/** Note whether a request reads or takes a permit. */
	void note(RequestId request, boolean shares) {
		if (shares) {
			this.inUse = true;
		}
		synchronized (this.places) {
			this.places.set(request.place(), shares);
		}
	}

	/** Return whether a request reads or has a permit. */
	boolean isLikely(RequestId request) {
		synchronized (this.places) {
			return this.places.get(request.place());
		}
	}

	/** Return whether the next command of a request should have all keys. */
	boolean isLikely(RequestId request, List<LockKey> locks) {
		return isLikely(request) || isLikely(locks.get(0));
	}

	/** Note that a script could not handle a lock without its sorted sets. */
	void found(LockKey key) {
		this.inUse = true;
		this.commands.set(index(key), COMMANDS);
	}

	/** Return whether the next command for a lock should have all keys. */
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
