package io.distributedlock.memory;

import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreTogetherContractTests;

@Execution(ExecutionMode.CONCURRENT)
class MemoryLockStoreContractTests extends LockStoreTogetherContractTests implements LockStoreFairContract {

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
