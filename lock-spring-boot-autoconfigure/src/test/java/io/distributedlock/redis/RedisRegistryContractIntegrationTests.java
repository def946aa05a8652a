package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine's contracts on a real Redis, driven by Lettuce and by Jedis.
 */
class RedisRegistryContractIntegrationTests {

	private static LockStore store(RedisDriver driver) {
		return new RedisLockStore(SharedRedis.factory(driver), RedisStoreSettings.DEFAULTS);
	}

	private static void delete(String key) {
		try (RedisConnection connection = SharedRedis.factory(RedisDriver.LETTUCE).getConnection()) {
			byte[] redisKey = (RedisStoreSettings.DEFAULTS.keyPrefix() + new LockKey("", key).encoded()).getBytes();
			assertThat(connection.keyCommands().del(redisKey)).isEqualTo(1);
		}
	}

	@Nested
	class LettuceRegistry extends LockRegistryContractTests {

		@Override
		protected LockStore createStore() {
			return store(RedisDriver.LETTUCE);
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

	}

	@Nested
	class LettuceLeases extends LeaseContractTests {

		@Override
		protected LockStore createStore() {
			return store(RedisDriver.LETTUCE);
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

	}

	@Nested
	class LettuceLocks extends LeaseLockContractTests {

		@Override
		protected LockStore createStore() {
			return store(RedisDriver.LETTUCE);
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

	}

	@Nested
	class JedisRegistry extends LockRegistryContractTests {

		@Override
		protected LockStore createStore() {
			return store(RedisDriver.JEDIS);
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

	}

	@Nested
	class JedisLeases extends LeaseContractTests {

		@Override
		protected LockStore createStore() {
			return store(RedisDriver.JEDIS);
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

	}

	@Nested
	class JedisLocks extends LeaseLockContractTests {

		@Override
		protected LockStore createStore() {
			return store(RedisDriver.JEDIS);
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

	}

	@Nested
	class LettuceLeaks extends LeakContractTests {

		private static final String PREFIX = "leaks:";

		@Override
		protected LockStore createStore() {
			return new RedisLockStore(SharedRedis.factory(RedisDriver.LETTUCE),
					new RedisStoreSettings(PREFIX, Duration.ofSeconds(1), Duration.ofSeconds(1), true));
		}

		@Override
		protected void steal(String key) {
			delete(key);
		}

		@Override
		protected void awaitForgotten() {
			try (RedisConnection connection = SharedRedis.factory(RedisDriver.LETTUCE).getConnection()) {
				await().atMost(Duration.ofSeconds(30))
					.until(() -> connection.keyCommands().keys((PREFIX + "*").getBytes()).isEmpty());
			}
		}

	}

}
