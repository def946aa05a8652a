package io.distributedlock.memory;

import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;

/** The contracts on the memory store. */
class MemoryContractTests {

	private final MemoryLocks locks = new MemoryLocks();

	@Nested
	class Registry extends LockRegistryContractTests {

		@Override
		protected LockStore createStore() {
			return new MemoryLockStore(MemoryContractTests.this.locks);
		}

		@Override
		protected void steal(String key) {
			MemoryContractTests.this.locks.remove("", key);
		}

	}

	@Nested
	class Leases extends LeaseContractTests {

		@Override
		protected LockStore createStore() {
			return new MemoryLockStore(MemoryContractTests.this.locks);
		}

		@Override
		protected void steal(String key) {
			MemoryContractTests.this.locks.remove("", key);
		}

	}

	@Nested
	class Locks extends LeaseLockContractTests {

		@Override
		protected LockStore createStore() {
			return new MemoryLockStore(MemoryContractTests.this.locks);
		}

		@Override
		protected void steal(String key) {
			MemoryContractTests.this.locks.remove("", key);
		}

	}

}
