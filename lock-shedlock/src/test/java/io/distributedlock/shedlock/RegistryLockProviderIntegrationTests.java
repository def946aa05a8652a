package io.distributedlock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.Patience;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** {@link RegistryLockProvider} where Redis does not answer, or comes back. */
class RegistryLockProviderIntegrationTests {

	private static final LockConfiguration REPORT = job("report");

	private final RedisInstances redis = new RedisInstances();

	private RegistryLockProvider provider;

	private SimpleLock lock;

	private static LockConfiguration job(String name) {
		return new LockConfiguration(Instant.EPOCH, name, Duration.ofHours(1), Duration.ZERO);
	}

	/** The short time-out is for outages; before, it may need several tries. */
	@BeforeEach
	void lock() {
		this.provider = new RegistryLockProvider(this.redis.registry(Duration.ofSeconds(1)));
		this.lock = Patience.await()
			.ignoreExceptions()
			.until(() -> this.provider.lock(REPORT), Optional::isPresent)
			.orElseThrow();
	}

	@AfterEach
	void close() {
		this.redis.close();
	}

	/** An instance that holds a lock itself does not ask the store. */
	@Test
	void lockWhenRedisIsDownIsAnExceptionAndNotBusy() {
		this.redis.server.kill();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.provider.lock(job("bill")))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE))
			.withMessageContaining("shedlock:bill");
	}

	@Test
	void extendWhenRedisIsSilentFailsAndTheLockCanBeUnlocked() {
		this.redis.server.pause();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.lock.extend(Duration.ofHours(2), Duration.ZERO));
		this.redis.server.resume();
		this.lock.unlock();
		assertFreeForAnotherInstance();
	}

	@Test
	void unlockWhenRedisIsSilentReleasesLater() {
		this.redis.server.pause();
		this.lock.unlock();
		this.redis.server.resume();
		assertFreeForAnotherInstance();
	}

	private void assertFreeForAnotherInstance() {
		RegistryLockProvider other = new RegistryLockProvider(this.redis.registry());
		Patience.await().until(() -> other.lock(REPORT), Optional::isPresent);
	}

}
