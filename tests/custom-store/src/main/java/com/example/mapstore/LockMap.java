package com.example.mapstore;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/** Locks as texts in a map behind a monitor, in place of a server. */
final class LockMap {

	private final Map<LockKey, String> texts = new HashMap<>();

	private final Map<String, WakeUpListener> listeners = new HashMap<>();

	synchronized @Nullable String read(LockKey key) {
		return this.texts.get(key);
	}

	synchronized boolean replace(LockKey key, @Nullable String expected, String text) {
		return (expected != null) ? this.texts.replace(key, expected, text) : this.texts.putIfAbsent(key, text) == null;
	}

	/** A registry that becomes another instance keeps its listener. */
	synchronized void listen(String instance, WakeUpListener listener) {
		this.listeners.values().removeIf((other) -> other == listener);
		this.listeners.put(instance, listener);
	}

	synchronized @Nullable WakeUpListener listener(String instance) {
		return this.listeners.get(instance);
	}

	synchronized void leave(String instance) {
		this.listeners.remove(instance);
	}

}
