package io.distributedlock.memory;

import java.time.Duration;

import io.distributedlock.engine.SharedLocks;
import io.distributedlock.engine.Ticker;
import io.distributedlock.reactive.NonBlockingContract;
import io.distributedlock.store.LockStore;

import static org.awaitility.Awaitility.await;

/** Nothing blocks on the memory store. */
class MemoryNonBlockingTests extends NonBlockingContract {

	MemoryNonBlockingTests() {
		super(new SharedMemory());
	}

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
