package io.distributedlock.interceptor;

import java.io.IOException;
import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples of the page on modes. */
class ModesReferenceTests {

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore());

	@AfterEach
	void close() {
		this.registry.close();
	}

	private boolean isFree(LockRequest request) {
		return this.registry.tryAcquire(request.waitFor(Duration.ZERO)).map((lease) -> {
			lease.close();
			return lease;
		}).isPresent();
	}

	@Test
	void examplesWhenOnThePageAreInThisTest() throws IOException {
		assertThat(DocumentedExamples.of("modes.md")).hasSizeGreaterThan(1)
			.allSatisfy(
					(example) -> assertThat(DocumentedExamples.codeOf(ModesReferenceTests.class)).contains(example));
	}

	@Test
	void read() {
		LockRegistry registry = this.registry;
		try (Lease lease = registry.acquire(LockRequest.of("price:42").mode(LockMode.READ))) {
			assertThat(isFree(LockRequest.of("price:42").mode(LockMode.READ))).isTrue();
			assertThat(isFree(LockRequest.of("price:42").mode(LockMode.EXCLUSIVE))).isFalse();
		}
	}

	@Test
	void readWriteLock() {
		LockRegistry registry = this.registry;
		LeaseReadWriteLock lock = registry.getReadWriteLock("prices", "42");
		lock.writeLock().lock();
		try {
			change();
			lock.readLock().lock(); // at once, even if writers wait
		}
		finally {
			lock.writeLock().unlock(); // readers come in, no writer between
		}
		try {
			assertThat(isFree(price().mode(LockMode.READ))).isTrue();
			assertThat(isFree(price().mode(LockMode.EXCLUSIVE))).isFalse();
		}
		finally {
			lock.readLock().unlock();
		}
		assertThat(isFree(price().mode(LockMode.EXCLUSIVE))).isTrue();
	}

	private void change() {
		assertThat(isFree(price().mode(LockMode.READ))).isFalse();
	}

	private static LockRequest price() {
		return LockRequest.of("prices", "42");
	}

	@Test
	void severalPermits() {
		LockRegistry registry = this.registry;
		LockRequest rest = LockRequest.of("memory").permits(64);
		try (Lease lease = registry.acquire(LockRequest.of("memory").permits(64).take(8))) {
			assertThat(isFree(rest.take(57))).isFalse();
			assertThat(isFree(rest.take(56))).isTrue();
		}
	}

	@Test
	void numberOfPermitsForAll() {
		LockRegistry registry = this.registry;
		registry.setPermits("", "memory", 48);
		try (Lease all = registry.acquire(LockRequest.of("memory").permits(64).take(48))) {
			assertThat(isFree(LockRequest.of("memory").permits(64))).isFalse();
		}
		registry.setPermits("", "memory", 48); // in all instances, from now on
		registry.setPermits("", "memory", 0); // that of the requests counts again
		assertThat(isFree(LockRequest.of("memory").permits(64).take(64))).isTrue();
	}

	@Test
	void permits() {
		LockRegistry registry = this.registry;
		LockRequest permit = LockRequest.of("exports").permits(3);
		try (Lease lease = registry.acquire(LockRequest.of("exports").permits(3))) {
			try (Lease second = registry.acquire(permit); Lease third = registry.acquire(permit)) {
				assertThat(isFree(permit)).isFalse();
			}
			assertThat(isFree(permit)).isTrue();
		}
	}

}
