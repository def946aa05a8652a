package io.distributedlock.jdbc;

import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreInspectionContractTests;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class PostgresLockStoreContractIntegrationTests extends LockStoreInspectionContractTests
		implements LockStoreFairContract {

	@Override
	protected LockStore createStore() {
		return PostgresLockStore.builder(SharedPostgres.pool()).build();
	}

	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return EnumSet.of(StoreCapability.FAIR, StoreCapability.READ, StoreCapability.SEMAPHORE,
				StoreCapability.HANDLES, StoreCapability.LOCK_DELAY, StoreCapability.SEVERAL_PERMITS,
				StoreCapability.CALLER_THREAD);
	}

}
