package io.distributedlock.redis;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A slot in which this instance waits for locks, and its subscription there. Only who
 * waits is written by other threads than the one that subscribes.
 */
final class WatchedSlot {

	final int number;

	String channel;

	/** Where the subscription is or is to be. */
	@Nullable String place;

	/** When it was asked for last. */
	long askedAt;

	/** The number of the subscription, larger than all before, or zero without one. */
	volatile long since;

	/** Encoded keys, and until when there may be words in the store. */
	private final Map<String, Long> keys = new ConcurrentHashMap<>();

	WatchedSlot(int number, String channel) {
		this.number = number;
		this.channel = channel;
	}

	void waits(String encodedKey, long until) {
		this.keys.put(encodedKey, until);
	}

	Set<String> keys() {
		return this.keys.keySet();
	}

	/** Whether nobody can be waiting any more. */
	boolean isForgotten(long now) {
		this.keys.values().removeIf((until) -> until - now < 0);
		return this.keys.isEmpty();
	}

}
