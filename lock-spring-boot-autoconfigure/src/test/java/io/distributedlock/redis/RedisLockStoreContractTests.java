package io.distributedlock.redis;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreTogetherContractTests;

/**
 * The contract on a real Redis; one subclass for each driver.
 */
abstract class RedisLockStoreContractTests extends LockStoreTogetherContractTests {

	private final RedisDriver driver;

	RedisLockStoreContractTests(RedisDriver driver) {
		this.driver = driver;
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(SharedRedis.factory(this.driver), RedisStoreSettings.DEFAULTS);
	}

}
