package io.distributedlock.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The settings of a profile for locks that threads own, and the answers of a registry
 * without names.
 */
class ThreadLeaseLockProfileTests {

	private static final LockOptions PROFILE = LockOptions.NONE.withTtl(Duration.ofMinutes(3))
		.withWaitFor(Duration.ofMillis(1));

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry registry = registry(
			Map.of("prices", PROFILE, "seats", LockOptions.NONE.withMode(LockMode.FAIR), "exports",
					LockOptions.NONE.withMode(LockMode.SEMAPHORE).withPermits(2)));

	private final DefaultLockRegistry elsewhere = registry(Map.of());

	private DefaultLockRegistry registry(Map<String, LockOptions> profiles) {
		return new DefaultLockRegistry(new MemoryLockStore(this.locks), new LockProfiles(LockOptions.NONE, profiles),
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO).withLeakDetection(LeakDetection.DISABLED),
				null);
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.elsewhere.close();
	}

	@Test
	void profileWhenItHasATtlCountsForTheLocksOfItsName() {
		LeaseLock write = this.registry.getReadWriteLock("prices", "42").writeLock();
		write.lock();
		assertThat(write.lease().remaining()).isGreaterThan(Duration.ofMinutes(2));
		write.unlock();
		LeaseLock nameless = this.registry.getLock("42");
		nameless.lock();
		assertThat(nameless.lease().remaining()).isLessThan(Duration.ofMinutes(1));
		nameless.unlock();
	}

	@Test
	void profileWhenItHasAModeCountsForTheLocksOfItsName() {
		LeaseLock lock = this.registry.getLock("seats", "42");
		lock.lock();
		assertThat(((GrantLease) lock.lease()).hold.grant.mode()).isEqualTo(LockMode.FAIR);
		lock.unlock();
	}

	/** The time that a call of a lock waits is no default that a profile may replace. */
	@Test
	void profileWhenItHasAWaitDoesNotEndThatOfALock() throws InterruptedException {
		LeaseLock lock = this.registry.getLock("prices", "42");
		LockRequest request = LockRequest.of("prices", "42").renew(false);
		try (Lease busy = this.elsewhere.acquire(request)) {
			assertThat(lock.tryLock(Duration.ZERO)).isFalse();
			assertThat(busy.isHeld()).isTrue();
		}
		Lease lease = this.elsewhere.acquire(request.ttl(Duration.ofMillis(300)));
		lock.lockInterruptibly();
		lock.unlock();
		assertThat(lease.isHeld()).isFalse();
		this.elsewhere.acquire(request.ttl(Duration.ofMillis(300)));
		assertThat(lock.tryLock(Duration.ofSeconds(20))).isTrue();
		lock.unlock();
	}

	/** The lock of the key seemed to be held, and its unlock ended a permit. */
	@Test
	void lockWhenItsRequestHasPermitsIsNoLockOfTheKey() {
		LeaseLock lock = this.elsewhere.getLock("42");
		LeaseLock permit = this.elsewhere.getLock(LockRequest.of("42").permits(2));
		assertThat(permit).isNotEqualTo(lock)
			.isEqualTo(this.elsewhere.getLock(LockRequest.of("42").permits(2)))
			.hasSameHashCodeAs(this.elsewhere.getLock(LockRequest.of("42").permits(2)));
		permit.lock();
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		assertThat(permit.isHeldByCurrentThread()).isTrue();
		permit.unlock();
	}

	@Test
	void lockWhenTheModeIsOfTheProfileIsOfThatMode() {
		LeaseReadWriteLock both = this.registry.getReadWriteLock("exports", "42");
		LeaseLock lock = this.registry.getLock("exports", "42");
		assertThat(lock).isEqualTo(both.readLock()).hasSameHashCodeAs(both.readLock()).isEqualTo(both.writeLock());
		assertThat(this.registry.getLock("seats", "42"))
			.isEqualTo(this.registry.getLock(LockRequest.of("seats", "42").mode(LockMode.EXCLUSIVE)))
			.isEqualTo(this.registry.getReadWriteLock("seats", "42").readLock());
	}

	/** Nothing can be held by such locks. */
	@Test
	void lockWhenItsSettingsCannotWorkHasTheModeOfItsRequest() {
		LeaseLock lock = this.elsewhere.getLock(LockRequest.of("42").mode(LockMode.SEMAPHORE));
		assertThat(lock).isNotEqualTo(this.elsewhere.getLock("42"))
			.isEqualTo(this.elsewhere.getLock(LockRequest.of("42").mode(LockMode.SEMAPHORE)));
		assertThat(this.elsewhere.getLock(LockRequest.of("42").renew(true).ttl(Duration.ofMillis(20))))
			.isEqualTo(this.elsewhere.getLock("42"));
	}

	@Test
	void keyWhenItIsBlankIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.getLock("prices", " "));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.getReadWriteLock("prices", ""));
	}

	/** A registry that was written when locks had no names. */
	private record Plain(LockRegistry delegate) implements LockRegistry {

		@Override
		public LeaseLock getLock(String name, String key) {
			return this.delegate.getLock(name, key);
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			return this.delegate.tryAcquire(request);
		}

		@Override
		public Lease acquire(LockRequest request) {
			return this.delegate.acquire(request);
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			return this.delegate.acquireAsync(request);
		}

	}

}
