package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.engine.EndedFromOutsideContractTests;
import io.distributedlock.engine.ExtendContractTests;
import io.distributedlock.engine.FairLockContractTests;
import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseHandleContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockDelayContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.ReadWriteLockContractTests;
import io.distributedlock.engine.SemaphoreContractTests;
import io.distributedlock.engine.SeveralKeysContractTests;
import io.distributedlock.engine.SeveralPermitsContractTests;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine's contracts where several servers keep the locks. Every build runs those
 * that depend on where a key is kept; the profile {@code chaos} also runs the large ones,
 * which every build runs on one server.
 */
class TopologyRegistryContractIntegrationTests {

	@AfterAll
	static void nothingWasRefused() {
		for (SharedTopology topology : SharedTopology.values()) {
			topology.masters().forEach(LeastPrivilege::assertNothingWasRefused);
		}
	}

	@Nested
	class LettuceClusterRegistry extends LockRegistryContractTests {

		LettuceClusterRegistry() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterExtends extends ExtendContractTests {

		LettuceClusterExtends() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterHandles extends LeaseHandleContractTests {

		LettuceClusterHandles() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterDelays extends LockDelayContractTests {

		LettuceClusterDelays() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterSeveralPermits extends SeveralPermitsContractTests {

		LettuceClusterSeveralPermits() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterLocks extends LeaseLockContractTests {

		LettuceClusterLocks() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterLeaks extends LeakContractTests {

		LettuceClusterLeaks() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce-leaks:"));
		}

	}

	@Nested
	class LettuceClusterSets extends SeveralKeysContractTests {

		LettuceClusterSets() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class JedisClusterRegistry extends LockRegistryContractTests {

		JedisClusterRegistry() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	class LettuceSentinelRegistry extends LockRegistryContractTests {

		LettuceSentinelRegistry() {
			super(new SharedServers(SharedTopology.SENTINEL, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class JedisSentinelRegistry extends LockRegistryContractTests {

		JedisSentinelRegistry() {
			super(new SharedServers(SharedTopology.SENTINEL, DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterEndedFromOutside extends EndedFromOutsideContractTests {

		LettuceClusterEndedFromOutside() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce-ended:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterReadWrite extends ReadWriteLockContractTests {

		LettuceClusterReadWrite() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterFair extends FairLockContractTests {

		LettuceClusterFair() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class LettuceClusterPermits extends SemaphoreContractTests {

		LettuceClusterPermits() {
			super(new SharedServers(SharedTopology.CLUSTER, DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	/** Locks under a prefix of their own that are forgotten after a second. */
	private record SharedServers(SharedTopology topology, DriverUnderTest driver,
			String prefix) implements SharedLocks {

		@Override
		public LockStore createStore() {
			return new RedisLockStore(this.topology.factory(this.driver),
					new RedisStoreSettings(this.prefix, Duration.ofSeconds(1), StoreUnderTest.PATIENCE, true));
		}

		@Override
		public String key(String text) {
			return '{' + text + '}';
		}

		@Override
		public void steal(String key) {
			String redisKey = this.prefix + new LockKey("", key).encoded();
			assertThat(this.topology.delete(redisKey)).isTrue();
		}

		@Override
		public void awaitForgotten() {
			await().until(() -> this.topology.masters()
				.stream()
				.allMatch((master) -> master.ask("KEYS", this.prefix + "*").equals(List.of())));
		}

	}

}
