package com.example.mapstore;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.state.CompareAndSwapLockStore;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * A store of an application's own: it can read a text, and replace it if it is the same.
 */
public final class MapLockStore extends CompareAndSwapLockStore {

	private final LockMap map;

	private final Map<WakeUpListener, WakeUpSubscriber> subscribers = new ConcurrentHashMap<>();

	private final Duration commandTimeout;

	MapLockStore(LockMap map, MapLockProperties properties) {
		super(properties.retention());
		this.map = map;
		this.commandTimeout = properties.commandTimeout();
	}

	@Override
	protected CompletableFuture<Stored> read(LockKey key) {
		LockMap.Row row = this.map.read(key.encoded());
		return CompletableFuture.completedFuture(new Stored(row.text(), row.micros()));
	}

	/** The map forgets nothing: a database would, after the lifetime. */
	@Override
	protected CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime) {
		return CompletableFuture.completedFuture(this.map.replace(key.encoded(), expected, text));
	}

	/** Those of the state, and wake-ups that notice a broken connection. */
	@Override
	public Set<StoreCapability> capabilities() {
		Set<StoreCapability> all = super.capabilities();
		all.add(StoreCapability.WAKE_UPS);
		all.add(StoreCapability.CLAIMS);
		return all;
	}

	@Override
	protected void wakeUp(WakeUp wakeUp) {
		this.map.publish(wakeUp.instance(), wakeUp.encoded());
	}

	/** A listener that comes again has another instance. */
	@Override
	public void start(String instance, WakeUpListener listener) {
		this.map.subscribe(instance, this.subscribers.computeIfAbsent(listener, WakeUpSubscriber::new));
	}

	@Override
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	@Override
	public void close() {
		this.subscribers.values().forEach(this.map::unsubscribe);
	}

}
