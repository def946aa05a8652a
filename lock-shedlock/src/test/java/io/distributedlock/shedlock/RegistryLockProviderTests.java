package io.distributedlock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.CapturedLog;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.Patience;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** The locks of two instances of an application, in memory. */
@ExtendWith(CapturedLog.Extension.class)
class RegistryLockProviderTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry registry = registry(LockOptions.NONE);

	private final DefaultLockRegistry otherRegistry = registry(LockOptions.NONE);

	private final RegistryLockProvider provider = new RegistryLockProvider(this.registry);

	private final RegistryLockProvider other = new RegistryLockProvider(this.otherRegistry);

	private DefaultLockRegistry registry(LockOptions profile) {
		return new DefaultLockRegistry(new MemoryLockStore(this.locks),
				new LockProfiles(LockOptions.NONE, Map.of("shedlock", profile)),
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.otherRegistry.close();
	}

	private static LockConfiguration report(Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.EPOCH, "report", atMost, atLeast);
	}

	/** Lock as the first instance, for as long as the test may take. */
	private SimpleLock lock(Duration atLeast) {
		return this.provider.lock(report(HOUR, atLeast)).orElseThrow();
	}

	private boolean isLocked() {
		return this.otherRegistry.isLocked("shedlock", "report");
	}

	/** Take the lock away, and give it to the second instance. */
	private SimpleLock steal() {
		assertThat(this.otherRegistry.forceRelease("shedlock", "report", null)).isOne();
		return this.other.lock(report(HOUR, Duration.ZERO)).orElseThrow();
	}

	@Test
	void registryWhenMissingIsRefused() {
		assertThatNullPointerException().isThrownBy(() -> new RegistryLockProvider(null))
			.withMessage("The registry must not be null");
	}

	/** The locks of this library are re-entrant, those of ShedLock are not. */
	@Test
	void lockWhenHeldIsBusyForEveryThreadAndInstance() {
		SimpleLock lock = lock(Duration.ZERO);
		assertThat(this.provider.lock(report(HOUR, Duration.ZERO))).isEmpty();
		assertThat(this.other.lock(report(HOUR, Duration.ZERO))).isEmpty();
		lock.unlock();
		assertThat(this.other.lock(report(HOUR, Duration.ZERO))).isPresent();
	}

	@Test
	void lockWhenHeldIsBusyForOtherCallersOfTheLibrary() {
		SimpleLock lock = lock(Duration.ZERO);
		LockRequest same = LockRequest.of("shedlock", "report");
		assertThat(this.registry.tryAcquire(same.ownedByCurrentThread())).isEmpty();
		assertThat(this.registry.tryAcquire(LockRequest.of("report"))).isPresent();
		lock.unlock();
		assertThat(this.registry.tryAcquire(same)).isPresent();
	}

	@Test
	void lockWhenUnlockedIsKeptForLockAtLeastFor() {
		lock(MINUTE).unlock();
		assertThat(isLocked()).isTrue();
		assertThat(this.provider.lock(report(HOUR, Duration.ZERO))).isEmpty();
		assertThat(this.other.lock(report(HOUR, Duration.ZERO))).isEmpty();
	}

	@Test
	void lockIsHeldForLockAtMostFor() {
		lock(Duration.ZERO);
		assertThat(this.otherRegistry.inspect("shedlock", "report").holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isBetween(HOUR.minus(MINUTE), HOUR));
	}

	/** A job that comes while the application shuts down is skipped. */
	@Test
	void lockWhenTheRegistryIsClosedIsBusy() {
		this.registry.close();
		assertThat(this.provider.lock(report(HOUR, Duration.ZERO))).isEmpty();
	}

	@Test
	void lockWhenLockAtMostForIsTooShortIsRefused() {
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> this.provider.lock(report(Duration.ofMillis(9), Duration.ZERO)))
			.withMessageContaining("ttl must be between 10ms and 365d but is 9ms");
	}

	@Test
	void lockWhenUnlockedTwiceIsRefused() {
		SimpleLock lock = lock(Duration.ZERO);
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining("report");
	}

	@Test
	void extendSetsBothDurations() {
		SimpleLock extended = lock(Duration.ZERO).extend(HOUR.multipliedBy(3), MINUTE).orElseThrow();
		assertThat(this.otherRegistry.inspect("shedlock", "report").holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(HOUR.multipliedBy(2)));
		extended.unlock();
		assertThat(isLocked()).isTrue();
	}

	@Test
	void extendWithoutLockAtLeastForEndsTheOneBefore() {
		lock(MINUTE).extend(HOUR, Duration.ZERO).orElseThrow().unlock();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void extendWhenLostIsEmptyAndLeavesTheNextHolder() {
		SimpleLock lost = lock(Duration.ZERO);
		SimpleLock next = steal();
		assertThat(lost.extend(HOUR, MINUTE)).isEmpty();
		next.unlock();
		assertThat(isLocked()).isFalse();
	}

	/** An exception would take the place of the one that the job throws. */
	@Test
	void unlockWhenLostDoesNothing() {
		SimpleLock lost = lock(Duration.ZERO);
		steal();
		lost.unlock();
		assertThat(isLocked()).isTrue();
	}

	@Test
	void unlockWhenLostThrowsIfTheProfileSaysSo() {
		try (DefaultLockRegistry strict = registry(LockOptions.NONE.withWhenLost(WhenLost.THROW))) {
			SimpleLock lost = new RegistryLockProvider(strict).lock(report(HOUR, Duration.ZERO)).orElseThrow();
			steal();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::unlock)
				.withMessageContaining("'shedlock:report'");
		}
	}

	@Test
	void lockWhenItsTimeIsOverIsLostWithAWarning(CapturedLog log) {
		SimpleLock lost = this.provider.lock(report(Duration.ofSeconds(2), Duration.ZERO)).orElseThrow();
		Optional<SimpleLock> next = Patience.await()
			.until(() -> this.other.lock(report(HOUR, Duration.ZERO)), Optional::isPresent);
		assertThat(lost.extend(HOUR, Duration.ZERO)).isEmpty();
		Patience.await()
			.untilAsserted(() -> assertThat(log).contains("shedlock:report", "it was held longer than its ttl"));
		next.orElseThrow().unlock();
	}

	@Test
	void lockIsRenewedIfTheProfileSaysSo() {
		try (DefaultLockRegistry renewing = registry(LockOptions.NONE.withRenew(true))) {
			Optional<SimpleLock> lock = new RegistryLockProvider(renewing)
				.lock(report(Duration.ofSeconds(3), Duration.ZERO));
			Patience.await()
				.untilAsserted(() -> assertThat(renewing.held()).singleElement()
					.satisfies((held) -> assertThat(held.renewals()).isPositive()));
			lock.orElseThrow().unlock();
		}
	}

}
