package io.distributedlock.redis;

import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.LockStoreContractTests;

/**
 * The contract of requests that want one lock alone, which the short scripts answer.
 */
class ShortScriptsContractIntegrationTests extends LockStoreContractTests {

	@Override
	protected boolean inFirstPlace() {
		return true;
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(SharedRedis.factory(DriverUnderTest.LETTUCE), DriverUnderTest.LETTUCE.settings());
	}

}
