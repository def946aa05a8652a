package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The permissions that are documented are enough. Most other tests of the store have no
 * more either.
 */
class LeastPrivilegeIntegrationTests {

	private static final LockRequest REQUEST = LockRequest.of("order").waitFor(Duration.ofSeconds(20));

	@ParameterizedTest
	@EnumSource
	void documentedPermissionsAreEnough(DriverUnderTest driver) throws Exception {
		try (RedisServer server = RedisServers.start()) {
			RedisConnectionFactory factory = LeastPrivilege.connect(driver, server);
			lockAndWait(factory);
			DriverUnderTest.close(factory);
			LeastPrivilege.assertNothingWasRefused(server);
		}
	}

	private static void lockAndWait(RedisConnectionFactory factory) throws Exception {
		try (DefaultLockRegistry here = new DefaultLockRegistry(new RedisLockStore(factory, StoreUnderTest.PATIENT));
				DefaultLockRegistry there = new DefaultLockRegistry(
						new RedisLockStore(factory, StoreUnderTest.PATIENT))) {
			// Longer than a busy machine stands still between two renewals.
			Lease lease = here.acquire(REQUEST.ttl(Duration.ofSeconds(4)));
			CompletableFuture<Lease> waiting = there.acquireAsync(REQUEST).toCompletableFuture();
			awaitRenewal(lease);
			assertThat(there.tryAcquire(REQUEST.waitFor(Duration.ZERO))).isEmpty();
			lease.close();
			waiting.get().close();
		}
	}

	/** A check that cannot fail would be a defect. */
	@Test
	void refusalOfAScriptsCommandIsSeen() throws Exception {
		try (RedisServer server = RedisServers.start()) {
			RedisConnectionFactory factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, server);
			LeastPrivilege.create(server, "-publish");
			lockAndWait(factory);
			DriverUnderTest.close(factory);
			assertThatThrownBy(() -> LeastPrivilege.assertNothingWasRefused(server)).hasMessageContaining("publish");
		}
	}

	/** It would not be told of it. */
	@Test
	void waiterIsNotNextWhereTheUserMayNotPublish() {
		try (RedisServer server = RedisServers.start()) {
			LeastPrivilege.create(server);
			try (StoreUnderTest one = new StoreUnderTest(DriverUnderTest.LETTUCE, server);
					StoreUnderTest two = new StoreUnderTest(DriverUnderTest.LETTUCE, server)) {
				LockKey key = StoreUnderTest.newKey();
				one.acquire(key, one.request()).join();
				RequestId waiter = two.request();
				await().until(() -> two.isNext(key, waiter));
				LeastPrivilege.create(server, "-publish");
				two.store.checkPermissions().join();
				assertThat(two.isNext(key, waiter)).isFalse();
				LeastPrivilege.create(server);
				two.store.checkPermissions().join();
				await().until(() -> two.isNext(key, waiter));
			}
		}
	}

	private static void awaitRenewal(Lease lease) {
		Duration[] last = { lease.remaining() };
		await().until(() -> {
			Duration before = last[0];
			last[0] = lease.remaining();
			return last[0].compareTo(before) > 0;
		});
	}

}
