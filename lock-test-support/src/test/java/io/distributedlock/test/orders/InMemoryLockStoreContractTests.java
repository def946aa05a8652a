package io.distributedlock.test.orders;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.LockStoreContractTests;

/** A contract suite as others run it; it is on the page docs/testing.md. */
class InMemoryLockStoreContractTests extends LockStoreContractTests {

	private final MemoryLocks locks = new MemoryLocks();

	@Override
	protected LockStore createStore() {
		return new MemoryLockStore(this.locks);
	}

	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		// It listens from the start.
	}

}
