package io.distributedlock.ownaspect;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.HeldLock;
import io.distributedlock.Lease;
import io.distributedlock.LockInspector;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.ConcurrentCalls;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A method that runs longer than its lease, with a fixed lease and with one that is
 * renewed.
 */
@SpringBootTest(classes = { RedissonApplication.class, Backup.class }, webEnvironment = WebEnvironment.NONE,
		properties = { "distributed-lock.store=redis", "distributed-lock.redis.command-timeout=20s" })
@DirtiesContext
class FixedLeaseIntegrationTests {

	private static final RedisServer SERVER = RedisServers.start();

	@Autowired
	private RedissonClient redisson;

	@Autowired
	private Backup backup;

	@Autowired
	private LockInspector inspector;

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.host", SERVER::host);
		properties.add("spring.data.redis.port", SERVER::port);
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@Test
	void leaseWhenFixedEndsUnderTheMethodAndHidesItsException() {
		RLock lock = this.redisson.getLock("backup");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> {
			assertThat(lock.tryLock(0, 500, TimeUnit.MILLISECONDS)).isTrue();
			try {
				assertThat(takenByAnotherThread(lock)).isTrue();
				throw new IllegalStateException("The disk is full");
			}
			finally {
				lock.unlock();
			}
		}).withNoCause();
	}

	private static boolean takenByAnotherThread(RLock lock) {
		return ConcurrentCalls.call(1, () -> lock.tryLock(Patience.CEILING.toSeconds(), 240, TimeUnit.SECONDS))
			.results()
			.equals(List.of(true));
	}

	@Test
	void leaseWhenRenewedLastsAsLongAsTheMethod() {
		this.backup.run(() -> {
			Patience.await().until(() -> age().compareTo(Duration.ofSeconds(4)) > 0);
			assertThat(runByAnotherThread().failures()).hasOnlyElementsOfType(LockNotAcquiredException.class)
				.hasSize(1);
		});
		assertThat(runByAnotherThread().failures()).isEmpty();
	}

	private Duration age() {
		return this.inspector.held().stream().map(HeldLock::age).findFirst().orElse(Duration.ZERO);
	}

	private ConcurrentCalls<Void> runByAnotherThread() {
		return ConcurrentCalls.run(1, () -> this.backup.run(() -> {
		}));
	}

	@Test
	void leaseWhenNotRenewedIsLostAndItsCallerNotified() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.backup.runWithoutRenewal(() -> {
			Lease lease = Lease.current().orElseThrow();
			Patience.await().until(() -> !lease.isHeld());
		}));
	}

	@Test
	void exceptionOfTheMethodWhenTheLeaseIsLostIsNotHidden() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.backup.runWithoutRenewal(() -> {
			Lease lease = Lease.current().orElseThrow();
			Patience.await().until(() -> !lease.isHeld());
			throw new IllegalStateException("The disk is full");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class));
	}

}
