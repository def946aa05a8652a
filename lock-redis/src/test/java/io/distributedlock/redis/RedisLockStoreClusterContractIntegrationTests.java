package io.distributedlock.redis;

import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreTogetherContractTests;
import org.junit.jupiter.api.Nested;

/**
 * The store's contract on a cluster. Behind Sentinel there is one server as ever.
 */
class RedisLockStoreClusterContractIntegrationTests {

	@Nested
	class Lettuce extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected LockStore createStore() {
			return store(DriverUnderTest.LETTUCE);
		}

	}

	@Nested
	class Jedis extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected LockStore createStore() {
			return store(DriverUnderTest.JEDIS);
		}

	}

	private static LockStore store(DriverUnderTest driver) {
		return new RedisLockStore(SharedTopology.CLUSTER.factory(driver), RedisStoreSettings.DEFAULTS);
	}

}
