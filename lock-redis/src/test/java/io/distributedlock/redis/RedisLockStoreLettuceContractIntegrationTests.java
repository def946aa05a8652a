package io.distributedlock.redis;

class RedisLockStoreLettuceContractIntegrationTests extends RedisLockStoreContractTests {

	RedisLockStoreLettuceContractIntegrationTests() {
		super(DriverUnderTest.LETTUCE);
	}

}
