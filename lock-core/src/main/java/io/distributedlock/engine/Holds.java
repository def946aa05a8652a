package io.distributedlock.engine;

import java.util.Collection;

import io.distributedlock.LockMode;

/**
 * The grants of this instance, except those of the lines of single keys, which have one
 * grant each at most. A grant is here from before others can see it until its end is
 * known, so it may have ended. Thread-safe.
 */
final class Holds {

	private static final String EXCLUSIVE = "exclusive";

	private static final String SHARED = "shared";

	private final Index<Grant> index = new Index<>();

	void add(Grant grant) {
		this.index.add(grant.keys(), kind(grant.mode()), grant.request().toString(), grant);
		Object holder = grant.holder();
		if (holder != null) {
			this.index.add(grant.keys(), kind(holder), grant.request().toString(), grant);
		}
	}

	void remove(Grant grant) {
		this.index.remove(grant.keys(), kind(grant.mode()), grant.request().toString(), grant);
		removeHolder(grant);
	}

	/** The holder of a grant is about to be forgotten. */
	void removeHolder(Grant grant) {
		Object holder = grant.holder();
		if (holder != null) {
			this.index.remove(grant.keys(), kind(holder), grant.request().toString(), grant);
		}
	}

	private static String kind(LockMode mode) {
		return mode.isExclusive() ? EXCLUSIVE : SHARED;
	}

	/** Different holders may be of one kind, but no holder is of two. */
	private static String kind(Object holder) {
		return Integer.toString(System.identityHashCode(holder));
	}

	/** At most one live grant; ended ones may remain. */
	Collection<Grant> exclusive(String encodedKey) {
		return this.index.of(encodedKey, EXCLUSIVE);
	}

	/** Readers and permits. */
	Collection<Grant> shared(String encodedKey) {
		return this.index.of(encodedKey, SHARED);
	}

	/** The grants of this very object, and maybe some of other holders. */
	Collection<Grant> of(String encodedKey, Object holder) {
		return this.index.of(encodedKey, kind(holder));
	}

}
