package io.distributedlock.redis;

class LettuceLockStoreContractIntegrationTests extends RedisLockStoreContractTests {

	LettuceLockStoreContractIntegrationTests() {
		super(DriverUnderTest.LETTUCE);
	}

}
