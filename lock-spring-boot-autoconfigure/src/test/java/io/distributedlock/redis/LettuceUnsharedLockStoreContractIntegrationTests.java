package io.distributedlock.redis;

class LettuceUnsharedLockStoreContractIntegrationTests extends RedisLockStoreContractTests {

	LettuceUnsharedLockStoreContractIntegrationTests() {
		super(RedisDriver.LETTUCE_UNSHARED);
	}

}
