package io.distributedlock.redis;

class JedisLockStoreContractIntegrationTests extends RedisLockStoreContractTests {

	JedisLockStoreContractIntegrationTests() {
		super(DriverUnderTest.JEDIS);
	}

}
