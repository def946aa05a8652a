package io.distributedlock.redis;

class RedisLockStoreJedisContractIntegrationTests extends RedisLockStoreContractTests {

	RedisLockStoreJedisContractIntegrationTests() {
		super(DriverUnderTest.JEDIS);
	}

}
