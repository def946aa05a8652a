package io.distributedlock.redis;

import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreTogetherContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store's contract on a cluster. Behind Sentinel there is one server as ever.
 */
class RedisLockStoreClusterContractIntegrationTests {

	/** No driver runs commands on callers where a key may move. */
	private static final Set<StoreCapability> CAPABILITIES = EnumSet
		.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));

	@Nested
	class Lettuce extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return CAPABILITIES;
		}

		@Override
		protected LockStore createStore() {
			return store(DriverUnderTest.LETTUCE);
		}

	}

	@Nested
	class Jedis extends LockStoreTogetherContractTests implements LockStoreFairContract {

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return CAPABILITIES;
		}

		@Override
		protected LockStore createStore() {
			return store(DriverUnderTest.JEDIS);
		}

	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void capabilitiesBehindSentinelAreThoseOfACluster(DriverUnderTest driver) {
		try (LockStore store = store(SharedTopology.SENTINEL, driver)) {
			assertThat(store.capabilities()).isEqualTo(CAPABILITIES);
		}
	}

	private static LockStore store(DriverUnderTest driver) {
		return store(SharedTopology.CLUSTER, driver);
	}

	private static LockStore store(SharedTopology topology, DriverUnderTest driver) {
		return new RedisLockStore(topology.factory(driver), RedisStoreSettings.DEFAULTS);
	}

}
