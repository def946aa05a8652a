package io.distributedlock.engine;

import io.distributedlock.LockMode;
import io.distributedlock.store.LockStore;

/**
 * A kind of store, as a contract needs it: it makes stores that share their locks, as the
 * instances of an application do.
 */
public interface SharedLocks {

	/**
	 * A new store.
	 * @return a store on the same locks as every other one made here
	 */
	LockStore createStore();

	/**
	 * The key for a lock of a test that needs several beside it.
	 * @param text a text that other tests do not use
	 * @return a key that shares a slot with all keys that begin with it
	 */
	default String key(String text) {
		return text;
	}

	/**
	 * A mode with one holder and with a queue, if the store has one.
	 * @return the mode
	 */
	default LockMode queued() {
		return LockMode.FAIR;
	}

	/**
	 * Take a lock from its holder without a notification, as a flush would.
	 * @param key the key, without a name
	 */
	void steal(String key);

	/**
	 * Return whether {@link #steal} takes a lock from all servers at once.
	 * @return {@code false} if it may hit the next holder as well, on the servers that
	 * come last
	 */
	default boolean stealsAtOnce() {
		return true;
	}

	/**
	 * Wait until all locks are forgotten, which they are once the retention time is over.
	 */
	void awaitForgotten();

}
