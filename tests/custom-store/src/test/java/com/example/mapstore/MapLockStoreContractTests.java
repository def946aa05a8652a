package com.example.mapstore;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreInspectionContractTests;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class MapLockStoreContractTests extends LockStoreInspectionContractTests implements LockStoreFairContract {

	private static final MapLockProperties SETTINGS = new MapLockProperties(Duration.ofMinutes(1),
			Duration.ofSeconds(1));

	private final LockMap map = new LockMap();

	@Override
	protected LockStore createStore() {
		return new MapLockStore(this.map, SETTINGS);
	}

	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return EnumSet.of(StoreCapability.FAIR, StoreCapability.READ, StoreCapability.SEMAPHORE,
				StoreCapability.HANDLES, StoreCapability.LOCK_DELAY, StoreCapability.SEVERAL_PERMITS,
				StoreCapability.WAKE_UPS, StoreCapability.CLAIMS);
	}

}
