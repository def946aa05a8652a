package io.distributedlock.memory;

import java.time.Duration;

import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.Ticker;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;

import static org.awaitility.Awaitility.await;

/** The contracts on the memory store. */
class MemoryContractTests {

	private final MemoryLocks locks = new MemoryLocks(Ticker.system(), Duration.ofSeconds(1));

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

	@Nested
	class Leaks extends LeakContractTests {

		@Override
		protected LockStore createStore() {
			return new MemoryLockStore(MemoryContractTests.this.locks);
		}

		@Override
		protected void steal(String key) {
			MemoryContractTests.this.locks.remove("", key);
		}

		@Override
		protected void awaitForgotten() {
			await().atMost(Duration.ofSeconds(30)).until(() -> MemoryContractTests.this.locks.size() == 0);
		}

	}

}
