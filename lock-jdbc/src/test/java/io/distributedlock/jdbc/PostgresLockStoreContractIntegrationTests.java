package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreTogetherContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract with messages to waiters, and without. */
class PostgresLockStoreContractIntegrationTests {

	private static final Set<StoreCapability> POLLING = EnumSet.of(StoreCapability.FAIR, StoreCapability.READ,
			StoreCapability.SEMAPHORE, StoreCapability.HANDLES, StoreCapability.LOCK_DELAY,
			StoreCapability.SEVERAL_PERMITS, StoreCapability.KEY_SETS, StoreCapability.CALLER_THREAD);

	/** A thousand locks of one command take a while. */
	private static PostgresLockStore.Builder store() {
		return PostgresLockStore.builder(SharedPostgres.pool()).commandTimeout(Duration.ofSeconds(10));
	}

	private static Set<StoreCapability> waking() {
		Set<StoreCapability> all = EnumSet.copyOf(POLLING);
		all.add(StoreCapability.WAKE_UPS);
		all.add(StoreCapability.CLAIMS);
		return all;
	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Waking extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected LockStore createStore() {
			return store().listenDataSource(SharedPostgres.SERVER.dataSource()).build();
		}

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return waking();
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Durable extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected LockStore createStore() {
			return store().listenDataSource(SharedPostgres.SERVER.dataSource()).durable(true).build();
		}

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return waking();
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Polling extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected LockStore createStore() {
			return store().build();
		}

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return POLLING;
		}

	}

}
