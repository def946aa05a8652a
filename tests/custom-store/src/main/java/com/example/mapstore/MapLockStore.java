package com.example.mapstore;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.state.CompareAndSwapLockStore;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * A store of an application's own: it can read a text, and replace it if it is the same.
 */
public final class MapLockStore extends CompareAndSwapLockStore {

	/** The clock of the map, which ends with this process too: a server has its own. */
	private static final long ORIGIN = System.nanoTime();

	private final LockMap map;

	private volatile String instance = "";

	private final Duration commandTimeout;

	MapLockStore(LockMap map, MapLockProperties properties) {
		super(properties.retention());
		this.map = map;
		this.commandTimeout = properties.commandTimeout();
	}

	@Override
	protected CompletableFuture<Stored> read(LockKey key) {
		return CompletableFuture.completedFuture(new Stored(this.map.read(key), (System.nanoTime() - ORIGIN) / 1000));
	}

	/** The map forgets nothing: a database would, after the lifetime. */
	@Override
	protected CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime) {
		return CompletableFuture.completedFuture(this.map.replace(key, expected, text));
	}

	@Override
	protected void wakeUp(WakeUp wakeUp) {
		WakeUpListener listener = this.map.listener(wakeUp.instance());
		if (listener != null) {
			wakeUp.tell(listener);
		}
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.instance = instance;
		this.map.listen(instance, listener);
	}

	@Override
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	@Override
	public void close() {
		this.map.leave(this.instance);
	}

}
