package io.distributedlock.redis;

import java.util.Set;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreTogetherContractTests;
import org.junit.jupiter.api.AfterAll;

/**
 * The contract on a real Redis; one subclass for each driver.
 */
abstract class RedisLockStoreContractTests extends LockStoreTogetherContractTests implements LockStoreFairContract {

	private final DriverUnderTest driver;

	RedisLockStoreContractTests(DriverUnderTest driver) {
		this.driver = driver;
	}

	@AfterAll
	static void nothingWasRefused() {
		LeastPrivilege.assertNothingWasRefused(SharedRedis.SERVER);
	}

	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return this.driver.capabilities();
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(SharedRedis.factory(this.driver), this.driver.settings());
	}

}
