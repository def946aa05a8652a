package io.distributedlock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.test.store.DelegatingLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

class IntegrationLockRegistryTests {

	private static final String NAME = "messages";

	private static final String KEY = "42";

	private DefaultLockRegistry locks = locks(new MemoryLockStore(), LockProfiles.DEFAULTS);

	private IntegrationLockRegistry registry = new IntegrationLockRegistry(this.locks, NAME);

	private final MemoryLocks memory = new MemoryLocks();

	private Runnable afterLoss = () -> {
	};

	private static DefaultLockRegistry locks(LockStore store, LockProfiles profiles) {
		return new DefaultLockRegistry(store, profiles, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
	}

	private void use(LockStore store, LockProfiles profiles) {
		this.locks.close();
		this.locks = locks(store, profiles);
		this.registry = new IntegrationLockRegistry(this.locks, profiles, NAME);
	}

	@AfterEach
	void closeLocks() {
		this.locks.close();
	}

	static Stream<Object> keysWithText() {
		return Stream.of(KEY, 42, 42L, new StringBuilder(KEY), new Key(KEY));
	}

	@ParameterizedTest
	@MethodSource("keysWithText")
	void keyIsTheTextOfAnObject(Object key) {
		assertThat(this.registry.obtain(key)).isEqualTo(this.registry.obtain(KEY));
		this.registry.obtain(key).lock();
		assertThat(this.locks.isLocked(NAME, KEY)).isTrue();
		this.registry.obtain(KEY).unlock();
	}

	@Test
	void keyOfAMessageGroupIsItsUuid() {
		UUID group = UUID.randomUUID();
		assertThat(this.registry.obtain(group)).isEqualTo(this.registry.obtain(group.toString()));
	}

	static Stream<Object> keysWithoutText() {
		return Stream.of(new Object(), new byte[] { 42 }, (Runnable) () -> {
		});
	}

	/** Each instance had locked another key. */
	@ParameterizedTest
	@MethodSource("keysWithoutText")
	void keyWithoutATextOfItsOwnIsRefused(Object key) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(key))
			.withMessageContaining(key.getClass().getName())
			.withMessageContaining("use a String");
	}

	@Test
	void keyWhenBlankOrMissingIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(" "));
		assertThatNullPointerException().isThrownBy(() -> this.registry.obtain(null));
	}

	@Test
	void attemptWhenTheStoreRefusesCannotAcquire() {
		LockStoreException refused = new LockStoreException(LockStoreException.Kind.MISCONFIGURED, "Refused", null);
		use(new DelegatingLockStore(new MemoryLockStore()) {
			@Override
			public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
				return CompletableFuture.failedFuture(refused);
			}
		}, LockProfiles.DEFAULTS);
		DistributedLock lock = this.registry.obtain(KEY);
		List.<Runnable>of(lock::lock, lock::tryLock)
			.forEach((attempt) -> assertThatExceptionOfType(CannotAcquireLockException.class).isThrownBy(attempt::run)
				.withMessageContaining("Refused")
				.withCauseInstanceOf(LockStoreException.class));
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void attemptWhenTheLocksAreClosedGetsNone() {
		this.locks.close();
		DistributedLock lock = this.registry.obtain(KEY);
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(lock::lock);
		assertThat(lock.tryLock()).isFalse();
	}

	/** The policy of a profile wins, as in all of this library. */
	@Test
	void unlockWhenLossesAreIgnoredDoesNotReportThem() {
		use(new MemoryLockStore(), new LockProfiles(LockOptions.NONE.withWhenLost(WhenLost.IGNORE), Map.of()));
		DistributedLock lock = this.registry.obtain(KEY);
		lock.lock();
		this.locks.forceRelease(NAME, KEY, null);
		assertThatNoException().isThrownBy(lock::unlock);
		lock.lock();
		this.locks.forceRelease(NAME, KEY, null);
		assertThat(lock.tryLock()).isFalse();
		assertThatNoException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void lossWhenReportedByTheRegistryIsThatOfTheThread() {
		DistributedLock lock = this.registry.obtain(KEY);
		DistributedLock other = this.registry.obtain("43");
		lock.lock();
		other.lock();
		this.locks.forceRelease(NAME, KEY, null);
		assertThat(lock.tryLock()).isFalse();
		assertThat(other.tryLock()).isTrue();
		other.unlock();
		other.unlock();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
	}

	/** It was released under its holder, and its unlock said nothing. */
	@Test
	void lockWhenOnlyInDoubtIsEnteredOnceConfirmed() throws InterruptedException {
		DoubtingStore store = new DoubtingStore();
		use(store, LockProfiles.DEFAULTS);
		DistributedLock lock = this.registry.obtain(KEY);
		lock.lock();
		store.doubts = 2;
		assertThat(lock.tryLock(Duration.ZERO, Duration.ofMinutes(5))).isTrue();
		assertThat(store.doubts).isZero();
		assertThat(this.locks.isLocked(NAME, KEY)).isTrue();
		lock.unlock();
		assertThat(this.locks.isLocked(NAME, KEY)).isTrue();
		lock.unlock();
		assertThat(this.locks.isLocked(NAME, KEY)).isFalse();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	@Test
	void lockWhenInDoubtAndThenLostReportsTheLoss() throws InterruptedException {
		DoubtingStore store = new DoubtingStore();
		use(store, LockProfiles.DEFAULTS);
		DistributedLock lock = this.registry.obtain(KEY);
		lock.lock();
		store.doubts = 1;
		store.afterDoubt = () -> store.locks.remove(NAME, KEY);
		assertThat(lock.tryLock(Duration.ZERO, Duration.ofMinutes(5))).isFalse();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
	}

	/** A leader went on, and another one led: the heart beat unlocked its only hold. */
	@Test
	void lockWhenLostWhileItIsEnteredIsNotGotAnew() {
		IntegrationLock lock = losingAtNextTry();
		lock.lock();
		lock.lock();
		assertThat(lock.tryLock()).isFalse();
		assertThat(this.locks.isLocked(NAME, KEY)).isFalse();
		List.of(1, 2)
			.forEach((hold) -> assertThatExceptionOfType(ConcurrentModificationException.class)
				.isThrownBy(lock::unlock));
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		assertThat(this.locks.isLocked(NAME, KEY)).isFalse();
	}

	@Test
	void lockWhenLostWhileItIsEnteredAndTakenIsReportedOnce() {
		IntegrationLock lock = losingAtNextTry();
		try (DefaultLockRegistry other = locks(new MemoryLockStore(this.memory), LockProfiles.DEFAULTS)) {
			this.afterLoss = () -> other.getLock(NAME, KEY).lock();
			lock.lock();
			assertThat(lock.tryLock()).isFalse();
			other.getLock(NAME, KEY).unlock();
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
			assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
		}
	}

	/** Return a lock that loses its lease inside its first {@code tryLock}. */
	private IntegrationLock losingAtNextTry() {
		use(new MemoryLockStore(this.memory), LockProfiles.DEFAULTS);
		LeaseLock real = this.locks.getLock(NAME, KEY);
		LeaseLock losing = mock(LeaseLock.class, delegatesTo(real));
		doAnswer((call) -> {
			this.locks.forceRelease(NAME, KEY, null);
			this.afterLoss.run();
			return real.tryLock();
		}).doAnswer((call) -> real.tryLock()).when(losing).tryLock();
		return new IntegrationLock(NAME, losing, new ThreadHolds());
	}

	/** It had cut a lease of minutes to 30 seconds. */
	@Test
	void renewalWithoutProfilesHasTheTtlOfTheRegistry() {
		this.locks.close();
		this.locks = locks(new MemoryLockStore(),
				new LockProfiles(LockOptions.NONE, Map.of(NAME, LockOptions.NONE.withTtl(Duration.ofMinutes(5)))));
		this.registry = new IntegrationLockRegistry(this.locks, NAME);
		DistributedLock lock = this.registry.obtain(KEY);
		lock.lock();
		this.registry.renewLock(KEY);
		assertThat(this.locks.getLock(NAME, KEY).lease().remaining()).isGreaterThan(Duration.ofMinutes(1));
		lock.unlock();
	}

	@Test
	void renewalWhenTheRegistryTellsNoTtlHasTheDefault() {
		LockRegistry silent = mock(LockRegistry.class, delegatesTo(this.locks));
		doReturn(LockOptions.NONE).when(silent).resolve(any());
		this.registry = new IntegrationLockRegistry(silent, NAME);
		DistributedLock lock = this.registry.obtain(KEY);
		lock.lock();
		this.registry.renewLock(KEY);
		assertThat(this.locks.getLock(NAME, KEY).lease().remaining()).isPositive();
		lock.unlock();
	}

	/** The lock was reported as lost, and held. */
	@Test
	void renewalWhenOnlyInDoubtIsRepeated() {
		DoubtingStore store = new DoubtingStore();
		use(store, LockProfiles.DEFAULTS);
		DistributedLock lock = this.registry.obtain(KEY);
		lock.lock();
		store.doubts = 2;
		this.registry.renewLock(KEY);
		assertThat(store.doubts).isZero();
		lock.unlock();
		assertThat(this.locks.isLocked(NAME, KEY)).isFalse();
	}

	@Test
	void renewalWhenInDoubtAndThenLostReportsTheLoss() {
		DoubtingStore store = new DoubtingStore();
		use(store, LockProfiles.DEFAULTS);
		this.registry.obtain(KEY).lock();
		store.doubts = 1;
		store.afterDoubt = () -> store.locks.remove(NAME, KEY);
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock(KEY))
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void registryWhenItsProfileCannotWorkIsRefused() {
		LockProfiles profiles = new LockProfiles(LockOptions.NONE,
				Map.of(NAME, LockOptions.NONE.withMode(LockMode.SEMAPHORE)));
		assertThatExceptionOfType(InvalidSettingException.class)
			.isThrownBy(() -> new IntegrationLockRegistry(this.locks, profiles, NAME));
	}

	@Test
	void lockHasNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.obtain(KEY).newCondition());
	}

	@Test
	void lockAndRegistryHaveATextForPeople() {
		assertThat(this.registry).hasToString("IntegrationLockRegistry[messages]");
		assertThat(this.registry.obtain("4\n2")).hasToString("IntegrationLock[messages:4\\u000A2]");
	}

	private record Key(String text) {

		@Override
		public String toString() {
			return this.text;
		}

	}

	/**
	 * Lets the engine doubt answers to renewals of the test's thread, as if the clock had
	 * jumped while they were under way. Renewals of other threads get no answer.
	 */
	private final class DoubtingStore extends DelegatingLockStore {

		private final Thread test = Thread.currentThread();

		private final MemoryLocks locks;

		/** The number of answers to doubt. */
		private int doubts;

		private Runnable afterDoubt = () -> {
		};

		DoubtingStore() {
			this(new MemoryLocks());
		}

		private DoubtingStore(MemoryLocks locks) {
			super(new MemoryLockStore(locks));
			this.locks = locks;
		}

		@Override
		public CompletableFuture<Ownership> extend(ExtendCommand command) {
			CompletableFuture<Ownership> answer = super.extend(command);
			doubt();
			return answer;
		}

		private void doubt() {
			if (this.doubts > 0) {
				this.doubts--;
				IntegrationLockRegistryTests.this.locks.confirm();
				this.afterDoubt.run();
			}
		}

		@Override
		public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
			if (Thread.currentThread() != this.test) {
				return commands.stream().map((command) -> new CompletableFuture<Ownership>()).toList();
			}
			List<CompletableFuture<Ownership>> answers = super.renew(commands);
			doubt();
			return answers;
		}

	}

}
