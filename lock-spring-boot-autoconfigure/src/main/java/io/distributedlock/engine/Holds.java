package io.distributedlock.engine;

import java.util.Collection;

import io.distributedlock.LockMode;
import io.distributedlock.store.LockKey;

/**
 * What this instance holds, but for the lines of single keys: each of those has one grant
 * at most. A grant is here from before others can see it until its end is known, so it
 * may have ended. Thread-safe.
 */
final class Holds {

	private final Index<Grant> exclusive = new Index<>();

	/** Readers and permits. */
	private final Index<Grant> shared = new Index<>();

	/** By key and by the owner, or by the thread that asked for a lease of no owner. */
	private final Index<Grant> holders = new Index<>();

	void add(Grant grant) {
		String id = grant.request().toString();
		Object holder = grant.holder();
		for (LockKey key : grant.keys()) {
			kind(grant.mode()).add(key.encoded(), id, grant);
			if (holder != null) {
				this.holders.add(place(key.encoded(), holder), id, grant);
			}
		}
	}

	void remove(Grant grant) {
		String id = grant.request().toString();
		grant.keys().forEach((key) -> kind(grant.mode()).remove(key.encoded(), id, grant));
		removeHolder(grant);
	}

	/** The holder of a grant is about to be forgotten. */
	void removeHolder(Grant grant) {
		Object holder = grant.holder();
		if (holder != null) {
			String id = grant.request().toString();
			grant.keys().forEach((key) -> this.holders.remove(place(key.encoded(), holder), id, grant));
		}
	}

	private Index<Grant> kind(LockMode mode) {
		return mode.isExclusive() ? this.exclusive : this.shared;
	}

	/** Different holders may have one place, but no holder has two. */
	private static String place(String encodedKey, Object holder) {
		return encodedKey + "\n" + System.identityHashCode(holder);
	}

	/** One at most, but for such as have ended. */
	Collection<Grant> exclusive(String encodedKey) {
		return this.exclusive.of(encodedKey);
	}

	Collection<Grant> shared(String encodedKey) {
		return this.shared.of(encodedKey);
	}

	/** What this very object holds, and maybe what others do. */
	Collection<Grant> of(String encodedKey, Object holder) {
		return this.holders.of(place(encodedKey, holder));
	}

}
