package io.distributedlock.test.orders;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreTogetherContractTests;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A contract suite as others run it; it is on the page docs/testing.md. */
@Execution(ExecutionMode.CONCURRENT)
class InMemoryLockStoreContractTests extends LockStoreTogetherContractTests implements LockStoreFairContract {

	private final MemoryLocks locks = new MemoryLocks();

	@Override
	protected LockStore createStore() {
		return new MemoryLockStore(this.locks);
	}

	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
	}

	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		// It listens from the start.
	}

}
