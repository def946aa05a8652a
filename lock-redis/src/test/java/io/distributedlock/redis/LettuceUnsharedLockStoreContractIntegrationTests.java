package io.distributedlock.redis;

import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.LockStoreExtendContractTests;
import org.junit.jupiter.api.AfterAll;

/**
 * The part of the contract that does not depend on modes: these are the scripts' affair.
 */
class LettuceUnsharedLockStoreContractIntegrationTests extends LockStoreExtendContractTests {

	@AfterAll
	static void nothingWasRefused() {
		LeastPrivilege.assertNothingWasRefused(SharedRedis.SERVER);
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(SharedRedis.factory(DriverUnderTest.LETTUCE_UNSHARED),
				DriverUnderTest.LETTUCE_UNSHARED.settings());
	}

}
