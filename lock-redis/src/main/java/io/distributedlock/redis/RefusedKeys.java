package io.distributedlock.redis;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.distributedlock.store.LockKey;

/**
 * Locks whose last command was refused because of their own key. A server refuses a
 * script for all of its keys, so the commands for these locks go alone. A key is
 * forgotten when a command for it was answered, after some time, or if there are too
 * many. Thread-safe.
 */
final class RefusedKeys {

	/** Maximum number of keys: each costs a command of its own. */
	static final int MOST = 1_000;

	/**
	 * Time until a key is forgotten. A key forgotten too early costs one more division.
	 */
	static final Duration REMEMBERED = Duration.ofMinutes(10);

	private final LongSupplier nanos;

	/**
	 * Time of the last refusal by the encoded key, which is short; the oldest first.
	 * Guarded by this.
	 */
	private final Map<String, Long> refusedAt = new LinkedHashMap<>();

	/** {@code true} if there are none; read for each command. */
	volatile boolean empty = true;

	RefusedKeys(LongSupplier nanos) {
		this.nanos = nanos;
	}

	void refused(LockKey key) {
		synchronized (this) {
			this.refusedAt.remove(key.encoded());
			this.refusedAt.put(key.encoded(), this.nanos.getAsLong());
			if (this.refusedAt.size() > MOST) {
				Iterator<String> oldest = this.refusedAt.keySet().iterator();
				oldest.next();
				oldest.remove();
			}
			this.empty = false;
		}
	}

	void answered(LockKey key) {
		if (!this.empty) {
			forget(key);
		}
	}

	private synchronized void forget(LockKey key) {
		this.refusedAt.remove(key.encoded());
		this.empty = this.refusedAt.isEmpty();
	}

	boolean contains(LockKey key) {
		return !this.empty && isRemembered(key);
	}

	private synchronized boolean isRemembered(LockKey key) {
		Long since = this.refusedAt.get(key.encoded());
		boolean remembered = since != null && this.nanos.getAsLong() - since < REMEMBERED.toNanos();
		if (since != null && !remembered) {
			forget(key);
		}
		return remembered;
	}

}
