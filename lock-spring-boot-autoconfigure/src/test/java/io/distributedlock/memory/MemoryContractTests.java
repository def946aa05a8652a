package io.distributedlock.memory;

import java.time.Duration;

import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.SeveralKeysContractTests;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.engine.Ticker;
import io.distributedlock.reactive.ReactiveLeakContractTests;
import io.distributedlock.reactive.ReactiveLockContractTests;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;

import static org.awaitility.Awaitility.await;

/** The engine's contracts on the memory store. */
class MemoryContractTests {

	@Nested
	class Registry extends LockRegistryContractTests {

		Registry() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Leases extends LeaseContractTests {

		Leases() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Locks extends LeaseLockContractTests {

		Locks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Leaks extends LeakContractTests {

		Leaks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Sets extends SeveralKeysContractTests {

		Sets() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Reactive extends ReactiveLockContractTests {

		Reactive() {
			super(new SharedMemory());
		}

	}

	@Nested
	class ReactiveLeaks extends ReactiveLeakContractTests {

		ReactiveLeaks() {
			super(new SharedMemory());
		}

	}

	/** Locks that are forgotten after a second. */
	private static final class SharedMemory implements SharedLocks {

		private final MemoryLocks locks = new MemoryLocks(Ticker.system(), Duration.ofSeconds(1));

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
			await().atMost(Duration.ofSeconds(30)).until(() -> this.locks.size() == 0);
		}

	}

}
