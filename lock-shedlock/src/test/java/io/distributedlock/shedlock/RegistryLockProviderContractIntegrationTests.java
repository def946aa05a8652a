package io.distributedlock.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.distributedlock.LockInspector;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * ShedLock's own contract of a provider, on Redis. Two of its tests have other durations
 * here; each says why.
 */
class RegistryLockProviderContractIntegrationTests extends AbstractExtensibleLockProviderIntegrationTest {

	private static RedisInstances redis;

	private static ExtensibleLockProvider provider;

	private static LockInspector otherInstance;

	@BeforeAll
	static void start() {
		redis = new RedisInstances();
		provider = new RegistryLockProvider(redis.registry());
		otherInstance = redis.registry();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@Override
	protected ExtensibleLockProvider getLockProvider() {
		return provider;
	}

	@Override
	protected void assertUnlocked(String lockName) {
		assertThat(otherInstance.isLocked("shedlock", lockName)).isFalse();
	}

	@Override
	protected void assertLocked(String lockName) {
		assertThat(otherInstance.isLocked("shedlock", lockName)).isTrue();
	}

	/** Its 2 ms are shorter than any lease of this library, which begin with 10 ms. */
	@Override
	@Test
	public void shouldNotBeAbleToExtendExpiredLock() {
		SimpleLock lock = lockFor(Duration.ofSeconds(2));
		sleepFor(Duration.ofSeconds(2));
		assertThat(lock.extend(Duration.ofSeconds(10), Duration.ZERO)).isEmpty();
		assertUnlocked(LOCK_NAME1);
	}

	/** Its leases of 50 ms do not bear a standstill of the machine. */
	@Override
	@Test
	public void shouldTimeout() {
		lockFor(Duration.ofSeconds(2));
		sleepFor(Duration.ofSeconds(4));
		assertUnlocked(LOCK_NAME1);
		lockFor(Duration.ofSeconds(2)).unlock();
	}

	private static SimpleLock lockFor(String name, Duration atMost) {
		Optional<SimpleLock> lock = provider.lock(lockConfig(name, atMost, Duration.ZERO));
		assertThat(lock).isPresent();
		return lock.get();
	}

	private SimpleLock lockFor(Duration atMost) {
		return lockFor(LOCK_NAME1, atMost);
	}

}
