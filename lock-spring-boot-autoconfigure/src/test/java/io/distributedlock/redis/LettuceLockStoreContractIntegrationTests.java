package io.distributedlock.redis;

class LettuceLockStoreContractIntegrationTests extends RedisLockStoreContractTests {

	LettuceLockStoreContractIntegrationTests() {
		super(RedisDriver.LETTUCE);
	}

}
