package io.distributedlock.memory;

import java.time.Duration;

import io.distributedlock.engine.SharedLocks;
import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.store.LockStore;

import static org.awaitility.Awaitility.await;

/** Locks in memory for contracts, forgotten after a second. */
final class SharedMemory implements SharedLocks {

	private final MemoryLocks locks = new MemoryLocks(Ticker.system()::nanos, Duration.ofSeconds(1));

	@Override
	public LockStore createStore() {
		return new MemoryLockStore(this.locks);
	}

	@Override
	public void steal(String key) {
		this.locks.remove("", key);
	}

	@Override
	public void awaitForgotten() {
		await().until(() -> this.locks.size() == 0);
	}

}
