package io.distributedlock.redis;

import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.redlock.SharedNodes;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;

/**
 * {@link ForeignValueContractTests} with every driver, and wherever locks are kept.
 */
class ForeignValueIntegrationTests {

	@Nested
	class Lettuce extends OneServer {

		Lettuce() {
			super(DriverUnderTest.LETTUCE);
		}

	}

	@Nested
	class LettuceUnshared extends OneServer {

		LettuceUnshared() {
			super(DriverUnderTest.LETTUCE_UNSHARED);
		}

	}

	@Nested
	class Jedis extends OneServer {

		Jedis() {
			super(DriverUnderTest.JEDIS);
		}

	}

	@Nested
	class LettuceCluster extends Cluster {

		LettuceCluster() {
			super(DriverUnderTest.LETTUCE);
		}

	}

	@Nested
	class JedisCluster extends Cluster {

		JedisCluster() {
			super(DriverUnderTest.JEDIS);
		}

	}

	/** Each on its own, and all together. */
	@Nested
	class Redlock extends ForeignValueContractTests {

		@Override
		LockStore createStore() {
			return SharedNodes.store(servers(), RedisStoreSettings.DEFAULTS);
		}

		@Override
		List<RedisServer> servers() {
			return SharedNodes.servers(3);
		}

	}

	@Nested
	class RedlockNode extends ForeignValueContractTests {

		@Override
		LockStore createStore() {
			return SharedNodes.nodes(servers(), RedisStoreSettings.DEFAULTS).get(0);
		}

		@Override
		List<RedisServer> servers() {
			return SharedNodes.servers(1);
		}

	}

	abstract static class OneServer extends ForeignValueContractTests {

		private final DriverUnderTest driver;

		OneServer(DriverUnderTest driver) {
			this.driver = driver;
		}

		@Override
		LockStore createStore() {
			return new RedisLockStore(SharedRedis.factory(this.driver), this.driver.settings());
		}

		@Override
		List<RedisServer> servers() {
			return List.of(SharedRedis.SERVER);
		}

	}

	abstract static class Cluster extends ForeignValueContractTests {

		private final DriverUnderTest driver;

		Cluster(DriverUnderTest driver) {
			this.driver = driver;
		}

		@Override
		LockStore createStore() {
			return new RedisLockStore(SharedTopology.CLUSTER.factory(this.driver), this.driver.settings());
		}

		@Override
		List<RedisServer> servers() {
			return SharedTopology.CLUSTER.masters();
		}

	}

}
