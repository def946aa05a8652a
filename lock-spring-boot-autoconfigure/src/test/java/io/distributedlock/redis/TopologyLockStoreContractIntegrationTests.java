package io.distributedlock.redis;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreTogetherContractTests;
import org.junit.jupiter.api.Nested;

/**
 * The store's contract where several servers keep the locks.
 */
class TopologyLockStoreContractIntegrationTests {

	@Nested
	class LettuceCluster extends LockStoreTogetherContractTests {

		@Override
		protected LockStore createStore() {
			return store(SharedTopology.CLUSTER, RedisDriver.LETTUCE);
		}

	}

	@Nested
	class JedisCluster extends LockStoreTogetherContractTests {

		@Override
		protected LockStore createStore() {
			return store(SharedTopology.CLUSTER, RedisDriver.JEDIS);
		}

	}

	@Nested
	class LettuceSentinel extends LockStoreTogetherContractTests {

		@Override
		protected LockStore createStore() {
			return store(SharedTopology.SENTINEL, RedisDriver.LETTUCE);
		}

	}

	@Nested
	class JedisSentinel extends LockStoreTogetherContractTests {

		@Override
		protected LockStore createStore() {
			return store(SharedTopology.SENTINEL, RedisDriver.JEDIS);
		}

	}

	private static LockStore store(SharedTopology topology, RedisDriver driver) {
		return new RedisLockStore(topology.factory(driver), RedisStoreSettings.DEFAULTS);
	}

}
