package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.LockMode;
import io.distributedlock.engine.EndedFromOutsideContractTests;
import io.distributedlock.engine.ExtendContractTests;
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
import io.distributedlock.redis.LeastPrivilege;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine's contracts on three real servers. That of leases is not among them, since
 * the others ask the same of a store: sets, readers and permits are renewed, run out and
 * are stolen.
 */
class RedlockRegistryContractIntegrationTests {

	@AfterAll
	static void nothingWasRefused() {
		SharedNodes.servers(5).forEach(LeastPrivilege::assertNothingWasRefused);
	}

	@Nested
	class Registry3 extends LockRegistryContractTests {

		Registry3() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class Extends extends ExtendContractTests {

		Extends() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class Handles extends LeaseHandleContractTests {

		Handles() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class Delays extends LockDelayContractTests {

		Delays() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class SeveralPermits extends SeveralPermitsContractTests {

		SeveralPermits() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class Locks extends LeaseLockContractTests {

		Locks() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class ModeLeaks extends ModeLeakContractTests {

		ModeLeaks() {
			super(new QuorumLocks(3, "leaks:"));
		}

	}

	@Nested
	class Sets extends SeveralKeysContractTests {

		Sets() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class EndedFromOutside extends EndedFromOutsideContractTests {

		EndedFromOutside() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	@Nested
	class ReadWrite extends ReadWriteLockContractTests {

		ReadWrite() {
			super(new QuorumLocks(3, "three:"));
		}

		/** No node knows the token of readers who ask it later. */
		@Override
		protected void assertTokens(long reader, long laterReader) {
			assertThat(laterReader).isGreaterThanOrEqualTo(reader);
		}

	}

	@Nested
	class Permits extends SemaphoreContractTests {

		Permits() {
			super(new QuorumLocks(3, "three:"));
		}

	}

	/** Locks under a prefix of their own that are forgotten after a second. */
	private record QuorumLocks(int nodes, String prefix) implements SharedLocks {

		@Override
		public LockStore createStore() {
			List<RedisServer> servers = SharedNodes.servers(this.nodes);
			RedisStoreSettings settings = new RedisStoreSettings(this.prefix, Duration.ofSeconds(1),
					Duration.ofSeconds(10), true);
			return SharedNodes.store(servers, settings);
		}

		@Override
		public LockMode queued() {
			return LockMode.EXCLUSIVE;
		}

		/** An operator has to delete it on every node, or a renewal restores it. */
		@Override
		public void steal(String key) {
			SharedNodes.admins(this.nodes).forEach((node) -> node.del(this.prefix + new LockKey("", key).encoded()));
		}

		/**
		 * A waiter may have one node before, which the holder does not have, and another
		 * one as soon as it is deleted there.
		 */
		@Override
		public boolean stealsAtOnce() {
			return false;
		}

		@Override
		public void awaitForgotten() {
			await().until(() -> SharedNodes.admins(this.nodes)
				.stream()
				.allMatch((node) -> !ScanIterator.scan(node, ScanArgs.Builder.matches(this.prefix + "*")).hasNext()));
		}

	}

}
