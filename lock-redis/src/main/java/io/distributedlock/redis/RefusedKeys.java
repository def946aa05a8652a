package io.distributedlock.redis;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.distributedlock.store.LockKey;

/**
 * The locks whose last command was refused, and that for their own sake. Their commands
 * go alone, so that they are refused without others: a server refuses a script with all
 * of its keys. A key is forgotten when a command for it was answered, after some time, or
 * where there are too many. Thread-safe.
 */
final class RefusedKeys {

	/** Each of them makes a command of its own where one would do for many. */
	static final int MOST = 1_000;

	/** A key that is forgotten too early costs one more division. */
	static final Duration REMEMBERED = Duration.ofMinutes(10);

	private final LongSupplier nanos;

	/**
	 * By their encoding, since a key may be long: when each was refused last, in this
	 * order. Guarded by this.
	 */
	private final Map<String, Long> refusedAt = new LinkedHashMap<>();

	/** Whether there are none, which each command asks. */
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
