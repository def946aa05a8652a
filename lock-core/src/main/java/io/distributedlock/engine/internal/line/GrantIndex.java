package io.distributedlock.engine.internal.line;

import java.util.Collection;
import java.util.function.Function;

import io.distributedlock.LockMode;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this instance by key and by holder. A line of a single key has one at
 * most, which is looked up there. The others are here from before callers can see them
 * until their end is known, so they may have ended. Thread-safe.
 */
final class GrantIndex {

	private static final String EXCLUSIVE = "exclusive";

	private static final String SHARED = "shared";

	private final Index<Grant> index = new Index<>();

	private final Function<String, @Nullable Grant> inLine;

	/**
	 * Create an empty index.
	 * @param inLine returns the held grant of the line for a single key
	 */
	GrantIndex(Function<String, @Nullable Grant> inLine) {
		this.inLine = inLine;
	}

	/** Return the held grant of the line for a single key. */
	@Nullable Grant inLine(String encodedKey) {
		return this.inLine.apply(encodedKey);
	}

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

	/**
	 * Have the store confirm grants that exclude a new one: it may have ended them
	 * without a message.
	 */
	void askExcluded(Grant granted) {
		for (LockKey key : granted.keys()) {
			askExcluded(inLine(key.encoded()), granted);
			exclusive(key.encoded()).forEach((other) -> askExcluded(other, granted));
			if (granted.mode().isExclusive()) {
				shared(key.encoded()).forEach((other) -> askExcluded(other, granted));
			}
		}
	}

	/** Have another grant confirmed, unless its owner reads inside its own lock. */
	private static void askExcluded(@Nullable Grant other, Grant granted) {
		if (other == null || other == granted) {
			return;
		}
		boolean ofOneOwner = granted.owner() != null && granted.owner() == other.owner();
		long now = granted.now();
		if (!ofOneOwner && other.isHeld(now)) {
			other.ask(now);
		}
	}

}
