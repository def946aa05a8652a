package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.engine.EndedFromOutsideContractTests;
import io.distributedlock.engine.ExtendContractTests;
import io.distributedlock.engine.FairLockContractTests;
import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseHandleContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockDelayContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.ModeLeakContractTests;
import io.distributedlock.engine.ReadWriteLockContractTests;
import io.distributedlock.engine.SemaphoreContractTests;
import io.distributedlock.engine.SeveralKeysContractTests;
import io.distributedlock.engine.SeveralPermitsContractTests;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.reactive.ReactiveBodyContractTests;
import io.distributedlock.reactive.ReactiveLeakContractTests;
import io.distributedlock.reactive.ReactiveLockContractTests;
import io.distributedlock.reactive.ReactiveModeContractTests;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine's contracts on a real Redis. Every build runs them by Lettuce, and by Jedis
 * those that depend on connections; the profile {@code chaos} runs all by both.
 */
class RedisRegistryContractIntegrationTests {

	@AfterAll
	static void nothingWasRefused() {
		LeastPrivilege.assertNothingWasRefused(SharedRedis.SERVER);
	}

	@Nested
	class LettuceRegistry extends LockRegistryContractTests {

		LettuceRegistry() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceLeases extends LeaseContractTests {

		LettuceLeases() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceExtends extends ExtendContractTests {

		LettuceExtends() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceHandles extends LeaseHandleContractTests {

		LettuceHandles() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceDelays extends LockDelayContractTests {

		LettuceDelays() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceSeveralPermits extends SeveralPermitsContractTests {

		LettuceSeveralPermits() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceLocks extends LeaseLockContractTests {

		LettuceLocks() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceLeaks extends LeakContractTests {

		LettuceLeaks() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-leaks:"));
		}

	}

	@Nested
	class LettuceReactive extends ReactiveLockContractTests {

		LettuceReactive() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-reactive:"));
		}

	}

	@Nested
	class LettuceReactiveLeaks extends ReactiveLeakContractTests {

		LettuceReactiveLeaks() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-reactive-leaks:"));
		}

	}

	@Nested
	class JedisRegistry extends LockRegistryContractTests {

		JedisRegistry() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisLeases extends LeaseContractTests {

		JedisLeases() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisExtends extends ExtendContractTests {

		JedisExtends() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisHandles extends LeaseHandleContractTests {

		JedisHandles() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisDelays extends LockDelayContractTests {

		JedisDelays() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisSeveralPermits extends SeveralPermitsContractTests {

		JedisSeveralPermits() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	class JedisLocks extends LeaseLockContractTests {

		JedisLocks() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisReactive extends ReactiveLockContractTests {

		JedisReactive() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis-reactive:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisReactiveBodies extends ReactiveBodyContractTests {

		JedisReactiveBodies() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis-reactive-bodies:"));
		}

	}

	@Nested
	class JedisLeaks extends LeakContractTests {

		JedisLeaks() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis-leaks:"));
		}

	}

	@Nested
	class LettuceEndedFromOutside extends EndedFromOutsideContractTests {

		LettuceEndedFromOutside() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-ended:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisEndedFromOutside extends EndedFromOutsideContractTests {

		JedisEndedFromOutside() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis-ended:"));
		}

	}

	/** No message is sent to instances that poll. */
	@Nested
	class PollingEndedFromOutside extends EndedFromOutsideContractTests {

		PollingEndedFromOutside() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-polling:", false));
		}

	}

	@Nested
	class LettuceSets extends SeveralKeysContractTests {

		LettuceSets() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class JedisSets extends SeveralKeysContractTests {

		JedisSets() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	class LettuceReadWrite extends ReadWriteLockContractTests {

		LettuceReadWrite() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisReadWrite extends ReadWriteLockContractTests {

		JedisReadWrite() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	class LettuceFair extends FairLockContractTests {

		LettuceFair() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettucePermits extends SemaphoreContractTests {

		LettucePermits() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce:"));
		}

	}

	@Nested
	class LettuceModeLeaks extends ModeLeakContractTests {

		LettuceModeLeaks() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-mode-leaks:"));
		}

	}

	@Nested
	@Tag("large")
	class JedisPermits extends SemaphoreContractTests {

		JedisPermits() {
			super(new SharedServer(DriverUnderTest.JEDIS, "jedis:"));
		}

	}

	@Nested
	class LettuceReactiveBodies extends ReactiveBodyContractTests {

		LettuceReactiveBodies() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-reactive-bodies:"));
		}

	}

	@Nested
	class LettuceReactiveModes extends ReactiveModeContractTests {

		LettuceReactiveModes() {
			super(new SharedServer(DriverUnderTest.LETTUCE, "lettuce-reactive:"));
		}

	}

	/** Locks under a prefix of their own that are forgotten after a second. */
	private record SharedServer(DriverUnderTest driver, String prefix, boolean wakeUps) implements SharedLocks {

		SharedServer(DriverUnderTest driver, String prefix) {
			this(driver, prefix, true);
		}

		@Override
		public LockStore createStore() {
			return new RedisLockStore(SharedRedis.factory(this.driver),
					new RedisStoreSettings(this.prefix, Duration.ofSeconds(1), StoreUnderTest.PATIENCE, this.wakeUps));
		}

		@Override
		public void steal(String key) {
			try (RedisConnection connection = SharedRedis.administrator().getConnection()) {
				assertThat(connection.keyCommands().del(bytes(this.prefix + new LockKey("", key).encoded())))
					.isEqualTo(1);
			}
		}

		@Override
		public void awaitForgotten() {
			try (RedisConnection connection = SharedRedis.administrator().getConnection()) {
				await().until(() -> connection.keyCommands().keys(bytes(this.prefix + "*")).isEmpty());
			}
		}

		private static byte[] bytes(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

	}

}
