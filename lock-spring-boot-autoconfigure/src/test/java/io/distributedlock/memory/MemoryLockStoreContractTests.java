package io.distributedlock.memory;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreSetContractTests;

class MemoryLockStoreContractTests extends LockStoreSetContractTests {

	private final MemoryLocks locks = new MemoryLocks();

	@Override
	protected LockStore createStore() {
		return new MemoryLockStore(this.locks);
	}

	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll) {
		// It listens from the start.
	}

}
