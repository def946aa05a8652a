package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.engine.SharedLocks;
import io.distributedlock.reactive.NonBlockingContract;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;

import org.springframework.data.redis.connection.RedisConnection;

/** Nothing blocks on Redis, be it driven by Lettuce or by Jedis. */
class RedisNonBlockingIntegrationTests {

	@Nested
	class Lettuce extends NonBlockingContract {

		Lettuce() {
			super(new SharedServer(DriverUnderTest.LETTUCE));
		}

	}

	@Nested
	class Jedis extends NonBlockingContract {

		Jedis() {
			super(new SharedServer(DriverUnderTest.JEDIS));
		}

	}

	private record SharedServer(DriverUnderTest driver) implements SharedLocks {

		private static final String PREFIX = "block-hound:";

		@Override
		public LockStore createStore() {
			return new RedisLockStore(SharedRedis.factory(this.driver),
					new RedisStoreSettings(PREFIX, Duration.ofSeconds(1), StoreUnderTest.PATIENCE, true));
		}

		@Override
		public void steal(String key) {
			try (RedisConnection connection = SharedRedis.administrator().getConnection()) {
				connection.keyCommands()
					.del((PREFIX + new LockKey("", key).encoded()).getBytes(StandardCharsets.UTF_8));
			}
		}

		@Override
		public void awaitForgotten() {
			throw new UnsupportedOperationException("Not called");
		}

	}

}
