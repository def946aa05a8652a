package io.distributedlock.redis;

import java.util.Set;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreClaimContractTests;
import org.junit.jupiter.api.Tag;

/**
 * The contract of requests that want one lock alone, which the short scripts answer.
 */
@Tag("newer-servers")
class ShortScriptsContractIntegrationTests extends LockStoreClaimContractTests {

	@Override
	protected boolean inFirstPlace() {
		return true;
	}

	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return DriverUnderTest.LETTUCE.capabilities();
	}

	@Override
	protected LockStore createStore() {
		return new RedisLockStore(SharedRedis.factory(DriverUnderTest.LETTUCE), DriverUnderTest.LETTUCE.settings());
	}

}
