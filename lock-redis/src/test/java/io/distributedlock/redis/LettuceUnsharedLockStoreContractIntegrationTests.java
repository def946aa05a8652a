package io.distributedlock.redis;

class LettuceUnsharedLockStoreContractIntegrationTests extends RedisLockStoreContractTests {

	LettuceUnsharedLockStoreContractIntegrationTests() {
		super(DriverUnderTest.LETTUCE_UNSHARED);
	}

}
