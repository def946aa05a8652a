package io.distributedlock.redis;

class RedisLockStoreUnsharedContractIntegrationTests extends RedisLockStoreContractTests {

	RedisLockStoreUnsharedContractIntegrationTests() {
		super(DriverUnderTest.LETTUCE_UNSHARED);
	}

}
