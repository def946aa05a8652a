package io.distributedlock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.CapturedLog;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.Patience;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.test.store.DelegatingLockStore;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
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
		return registry(new MemoryLockStore(this.locks), profile);
	}

	private static DefaultLockRegistry registry(LockStore store, LockOptions profile) {
		return new DefaultLockRegistry(store, new LockProfiles(LockOptions.NONE, Map.of("shedlock", profile)),
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

	/** It was empty: the job went on with a lock that nothing released. */
	@Test
	void extendWhenOnlyInDoubtIsRepeated() {
		ScriptedStore store = new ScriptedStore(new MemoryLockStore(this.locks));
		try (DefaultLockRegistry doubting = registry(store, LockOptions.NONE)) {
			SimpleLock lock = new RegistryLockProvider(doubting).lock(report(HOUR, Duration.ZERO)).orElseThrow();
			AtomicInteger doubts = new AtomicInteger(2);
			store.beforeAnswer = () -> {
				if (doubts.getAndDecrement() > 0) {
					doubting.confirm();
				}
			};
			SimpleLock extended = lock.extend(HOUR, Duration.ZERO).orElseThrow();
			assertThat(doubts.get()).isNegative();
			assertThat(isLocked()).isTrue();
			extended.unlock();
			assertThat(isLocked()).isFalse();
		}
	}

	/** The page docs/shedlock.md says that, and the remedies. */
	@Test
	void keepAliveWhenOneExtendFailsExtendsNoMore() throws Exception {
		ScriptedStore store = new ScriptedStore(new MemoryLockStore(this.locks));
		AtomicInteger extended = new AtomicInteger();
		FastSchedule schedule = new FastSchedule();
		try (DefaultLockRegistry failing = registry(store, LockOptions.NONE)) {
			store.beforeAnswer = () -> {
				if (extended.incrementAndGet() == 3) {
					throw new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "out of order", null);
				}
			};
			SimpleLock lock = new KeepAliveLockProvider(new RegistryLockProvider(failing), schedule)
				.lock(new LockConfiguration(Instant.now(), "report", HOUR, Duration.ZERO))
				.orElseThrow();
			assertThatExceptionOfType(ExecutionException.class)
				.isThrownBy(() -> schedule.only.get(Patience.CEILING.toMillis(), TimeUnit.MILLISECONDS))
				.withCauseInstanceOf(LockStoreException.class);
			assertThat(extended).hasValue(3);
			assertThat(isLocked()).isTrue();
			lock.unlock();
			assertThat(isLocked()).isFalse();
		}
		finally {
			schedule.shutdownNow();
		}
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

	/**
	 * Does something before the answer to an extend, or to a renewal of the test's
	 * thread. Renewals of other threads get no answer.
	 */
	private static final class ScriptedStore extends DelegatingLockStore {

		private final Thread test = Thread.currentThread();

		private volatile Runnable beforeAnswer = () -> {
		};

		ScriptedStore(LockStore delegate) {
			super(delegate);
		}

		@Override
		public CompletableFuture<Ownership> extend(ExtendCommand command) {
			CompletableFuture<Ownership> answer = super.extend(command);
			this.beforeAnswer.run();
			return answer;
		}

		@Override
		public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
			if (Thread.currentThread() != this.test) {
				return commands.stream().map((command) -> new CompletableFuture<Ownership>()).toList();
			}
			List<CompletableFuture<Ownership>> answers = super.renew(commands);
			this.beforeAnswer.run();
			return answers;
		}

	}

	/** Runs a task each millisecond, whatever its period. */
	private static final class FastSchedule extends ScheduledThreadPoolExecutor {

		private ScheduledFuture<?> only;

		FastSchedule() {
			super(1);
		}

		@Override
		public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
			this.only = super.scheduleAtFixedRate(task, 1, 1, TimeUnit.MILLISECONDS);
			return this.only;
		}

	}

}
