package io.distributedlock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The promises of Spring Integration's {@code RedisLockRegistry}, on two instances. Each
 * behaviour that {@code RedisLockRegistryTests} of version 7.1.1 has is here, with these
 * exceptions:
 * <ul>
 * <li>{@code concurrentObtainCapacityTest}, {@code concurrentObtainRemoveOrderTest},
 * {@code concurrentObtainAccessRemoveOrderTest}, {@code setCapacityTest},
 * {@code notUsedLockIsEvictedOnCacheLimit},
 * {@code cannotAcquireLockExceptionOnCacheLimit}, {@code unusedLockIsStale}: there is no
 * cache, so that nothing is refused or evicted. For the same reason two locks of a key
 * are equal, and not the same object.</li>
 * <li>{@code testInitialiseWithCustomExecutor}: there is no executor.</li>
 * <li>{@code testRenewFallbackWhenCasCadNotSupported},
 * {@code testUnlockFallbackWhenCasCadNotSupported}: no command needs Redis 8.4.</li>
 * </ul>
 */
class IntegrationLockRegistryIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration LESS = Duration.ofMinutes(5);

	private static final Duration CONFIGURED = Duration.ofMinutes(2);

	private static final AtomicInteger SEQUENCE = new AtomicInteger();

	private static RedisInstance first;

	private static RedisInstance second;

	private final String key = "key-" + SEQUENCE.incrementAndGet();

	private final DistributedLock lock = first.registry.obtain(this.key);

	private final DistributedLock lockOfSecond = second.registry.obtain(this.key);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@BeforeAll
	static void startInstances() {
		first = new RedisInstance(LockOptions.NONE.withTtl(CONFIGURED));
		second = new RedisInstance(LockOptions.NONE.withTtl(CONFIGURED));
	}

	@AfterAll
	static void closeInstances() {
		first.close();
		second.close();
	}

	@AfterEach
	void endThreads() {
		this.threads.shutdownNow();
	}

	private <T> T onAnotherThread(Callable<T> call) throws Exception {
		return this.threads.submit(call).get();
	}

	private boolean isTakenOnAnotherThread(Lock wanted) throws Exception {
		return this.threads.submit(() -> wanted.tryLock()).get();
	}

	private boolean isLocked() {
		return second.isLocked(this.key);
	}

	private void assertLocked() {
		assertThat(isLocked()).isTrue();
	}

	/** In theirs: {@code testLock}. */
	@Test
	void lockWhenUnlockedIsFreeEachTime() {
		for (int i = 0; i < 10; i++) {
			this.lock.lock();
			assertThat(isLocked()).isTrue();
			this.lock.unlock();
			assertThat(isLocked()).isFalse();
		}
	}

	/** In theirs: {@code testLockInterruptibly}. */
	@Test
	void lockInterruptiblyWhenUnlockedIsFreeEachTime() throws InterruptedException {
		for (int i = 0; i < 10; i++) {
			this.lock.lockInterruptibly();
			assertThat(isLocked()).isTrue();
			this.lock.unlock();
			assertThat(isLocked()).isFalse();
		}
	}

	/** In theirs: {@code testLockWithCustomTtl}. */
	@Test
	void lockWithATtlHasThatOne() {
		this.lock.lock(LONG);
		assertThat(first.remaining(this.key)).isBetween(LESS, LONG);
		this.lock.unlock();
		assertThat(isLocked()).isFalse();
	}

	/** In theirs: {@code testTryLockWithCustomTtl}. */
	@Test
	void tryLockWithATtlHasThatOne() throws InterruptedException {
		assertThat(this.lock.tryLock(LESS, LONG)).isTrue();
		assertThat(first.remaining(this.key)).isBetween(LESS, LONG);
		this.lock.unlock();
		assertThat(isLocked()).isFalse();
	}

	/**
	 * In theirs: {@code testUnlockAfterLockStatusHasBeenExpired},
	 * {@code testExceptionOnExpire}.
	 */
	@Test
	void unlockWhenTheLeaseHasExpiredReportsTheLoss() {
		try (RedisInstance expiring = new RedisInstance(RedisInstance.EXPIRING)) {
			DistributedLock lost = expiring.registry.obtain(this.key);
			lost.lock();
			Lease lease = expiring.locks.getLock(RedisInstance.NAME, this.key).lease();
			Patience.await().until(lease::isLost);
			assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lost::unlock)
				.withMessageContaining("Lock 'messages:" + this.key + "' was lost")
				.withCauseInstanceOf(LockLostException.class);
			assertThatIllegalStateException().isThrownBy(lost::unlock);
		}
	}

	/** In theirs: {@code testReentrantLock}. */
	@Test
	void lockWhenEnteredAgainIsFreeAfterTheLastUnlock() {
		for (int i = 0; i < 10; i++) {
			this.lock.lock();
			Lock again = first.registry.obtain(this.key);
			assertThat(again).isEqualTo(this.lock);
			again.lock();
			again.unlock();
			assertThat(isLocked()).isTrue();
			this.lock.unlock();
			assertThat(isLocked()).isFalse();
		}
	}

	/** In theirs: {@code testReentrantLockInterruptibly}. */
	@Test
	void lockInterruptiblyWhenEnteredAgainIsFreeAfterTheLast() throws InterruptedException {
		for (int i = 0; i < 10; i++) {
			this.lock.lockInterruptibly();
			Lock again = first.registry.obtain(this.key);
			again.lockInterruptibly();
			again.unlock();
			assertThat(isLocked()).isTrue();
			this.lock.unlock();
			assertThat(isLocked()).isFalse();
		}
	}

	/** In theirs: {@code testTwoLocks}. */
	@Test
	void locksWhenTheirKeysDifferAreHeldTogether() throws InterruptedException {
		Lock other = first.registry.obtain(this.key + "-other");
		assertThat(other).isNotEqualTo(this.lock);
		this.lock.lockInterruptibly();
		other.lockInterruptibly();
		assertThat(isLocked()).isTrue();
		assertThat(second.isLocked(this.key + "-other")).isTrue();
		this.lock.unlock();
		assertThat(isLocked()).isFalse();
		other.unlock();
		assertThat(second.isLocked(this.key + "-other")).isFalse();
	}

	/** In theirs: {@code testTwoThreadsSecondFailsToGetLock}. */
	@Test
	void threadWhenAnotherHoldsTheLockDoesNotGetIt() throws Exception {
		this.lock.lockInterruptibly();
		onAnotherThread(() -> {
			Lock busy = first.registry.obtain(this.key);
			assertThat(busy.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
			assertThat(busy.tryLock()).isFalse();
			assertThatIllegalStateException().isThrownBy(busy::unlock)
				.withMessageContaining("does not hold lock 'messages:" + this.key + "'");
			return null;
		});
		this.lock.unlock();
	}

	/** In theirs: {@code testTwoThreads}. */
	@Test
	void threadWhenAnotherUnlocksGetsTheLock() throws Exception {
		assertThatWaiterGetsTheLock(first);
	}

	/**
	 * In theirs: {@code testTwoThreadsDifferentRegistries},
	 * {@code twoRedisLockRegistryTest}.
	 */
	@Test
	void instanceWhenAnotherUnlocksGetsTheLock() throws Exception {
		assertThatWaiterGetsTheLock(second);
	}

	private void assertThatWaiterGetsTheLock(RedisInstance waiting) throws Exception {
		this.lock.lockInterruptibly();
		CountDownLatch seen = new CountDownLatch(1);
		CountDownLatch entered = new CountDownLatch(1);
		Future<?> waiter = this.threads.submit(() -> {
			Lock next = waiting.registry.obtain(this.key);
			next.lockInterruptibly();
			entered.countDown();
			seen.await();
			next.unlock();
			return null;
		});
		waiting.awaitWaiting(this.key);
		assertThat(entered.getCount()).isOne();
		this.lock.unlock();
		entered.await();
		assertThat(this.lock.tryLock()).isFalse();
		seen.countDown();
		waiter.get();
		assertThat(isLocked()).isFalse();
	}

	/** In theirs: {@code testTwoThreadsWrongOneUnlocks}. */
	@Test
	void unlockOnAnotherThreadThrowsAndFreesNothing() throws Exception {
		this.lock.lockInterruptibly();
		onAnotherThread(() -> assertThatIllegalStateException().isThrownBy(this.lock::unlock)
			.withMessageContaining("unlock and renew it on the thread that has locked it"));
		assertThat(isLocked()).isTrue();
		this.lock.unlock();
		assertThat(isLocked()).isFalse();
	}

	/** In theirs: {@code testExpireTwoRegistries}. */
	@Test
	void lockWhenItsLeaseHasExpiredGoesToAnotherInstance() {
		try (RedisInstance expiring = new RedisInstance(RedisInstance.EXPIRING)) {
			DistributedLock lost = expiring.registry.obtain(this.key);
			lost.lock();
			this.lockOfSecond.lock();
			assertThat(lost.tryLock()).as("tells of the loss").isFalse();
			assertThat(lost.tryLock()).as("is busy").isFalse();
			this.lockOfSecond.unlock();
		}
	}

	/** In theirs: {@code testUnlockDoesNotDeleteOtherClientsLock}. */
	@Test
	void unlockWhenAnotherInstanceHasTheLockLeavesItThere() {
		try (RedisInstance expiring = new RedisInstance(RedisInstance.EXPIRING)) {
			DistributedLock lost = expiring.registry.obtain(this.key);
			lost.lock();
			this.lockOfSecond.lock();
			assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lost::unlock);
			assertThat(isLocked()).isTrue();
			this.lockOfSecond.unlock();
		}
	}

	/**
	 * In theirs: {@code testRenewalOnExpire}. Another lease of the same length, not
	 * renewed, shows the time.
	 */
	@Test
	void leaseWhenRenewedOutlivesItsTtl() {
		LockOptions options = LockOptions.NONE.withTtl(Duration.ofSeconds(5));
		try (RedisInstance renewing = new RedisInstance(options);
				RedisInstance expiring = new RedisInstance(options.withRenew(false))) {
			DistributedLock renewed = renewing.registry.obtain(this.key);
			renewed.lock();
			String other = this.key + "-other";
			expiring.registry.obtain(other).lock();
			Lease lease = expiring.locks.getLock(RedisInstance.NAME, other).lease();
			Patience.await().until(lease::isLost);
			assertThat(isLocked()).isTrue();
			renewed.unlock();
			assertThat(isLocked()).isFalse();
		}
	}

	/** In theirs: {@code testEquals}. */
	@Test
	void locksWhenOfOneRegistryAndKeyAreEqual() {
		Lock again = first.registry.obtain(this.key);
		assertThat(again).isEqualTo(this.lock).hasSameHashCodeAs(this.lock);
		this.lock.lock();
		again.lock();
		assertThat(again).isEqualTo(this.lock);
		this.lock.unlock();
		again.unlock();
		assertThat(this.lockOfSecond).isNotEqualTo(this.lock);
		Lock ofAnotherName = new IntegrationLockRegistry(first.locks, "other").obtain(this.key);
		assertThat(ofAnotherName).isNotEqualTo(this.lock);
		this.lock.lock();
		assertThat(this.lockOfSecond.tryLock()).isFalse();
		assertThat(ofAnotherName.tryLock()).isTrue();
		ofAnotherName.unlock();
		this.lock.unlock();
	}

	/** In theirs: {@code testThreadLocalListLeaks}. */
	@Test
	void locksWhenManyAreHeldAreAllFreedInAnyOrder() {
		List<String> keys = IntStream.range(0, 10).mapToObj((i) -> this.key + "-" + i).toList();
		keys.forEach((each) -> first.registry.obtain(each).lock());
		assertThat(keys).allMatch(second::isLocked);
		keys.forEach((each) -> first.registry.obtain(each).unlock());
		assertThat(keys).noneMatch(second::isLocked);
		assertThat(keys).allSatisfy(
				(each) -> assertThatIllegalStateException().isThrownBy(() -> first.registry.obtain(each).unlock()));
	}

	/** In theirs: {@code testExpireNotChanged}. */
	@Test
	void leaseWhenOthersAreRefusedIsNotLonger() throws Exception {
		try (RedisInstance expiring = new RedisInstance(LockOptions.NONE.withTtl(LONG).withRenew(false))) {
			DistributedLock held = expiring.registry.obtain(this.key);
			held.lock();
			Duration before = expiring.remaining(this.key);
			assertThat(isTakenOnAnotherThread(held)).isFalse();
			assertThat(this.lockOfSecond.tryLock()).isFalse();
			assertThat(expiring.remaining(this.key)).isLessThanOrEqualTo(before);
			held.unlock();
		}
	}

	/** In theirs: {@code multiRedisLockRegistryTest}. */
	@Test
	void instancesWhenTheyContendHoldTheLockOneByOne() throws Exception {
		List<RedisInstance> instances = new ArrayList<>();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger entered = new AtomicInteger();
		try {
			IntStream.range(0, 10).forEach((i) -> instances.add(new RedisInstance(LockOptions.NONE)));
			List<Callable<Void>> calls = instances.stream().map((instance) -> (Callable<Void>) () -> {
				Lock contended = instance.registry.obtain(this.key);
				contended.lock();
				assertThat(inside.incrementAndGet()).isOne();
				entered.incrementAndGet();
				inside.decrementAndGet();
				contended.unlock();
				return null;
			}).toList();
			for (int i = 0; i < 3; i++) {
				for (Future<Void> call : this.threads.invokeAll(calls)) {
					call.get();
				}
			}
		}
		finally {
			instances.forEach(RedisInstance::close);
		}
		assertThat(entered).hasValue(30);
	}

	/** In theirs: {@code earlyWakeUpTest}. */
	@Test
	void lockWhenReleasedGoesToOneOfTwoWaitingInstances() throws Exception {
		CountDownLatch seen = new CountDownLatch(1);
		AtomicInteger entered = new AtomicInteger();
		try (RedisInstance third = new RedisInstance(LockOptions.NONE)) {
			this.lock.lock();
			List<Future<Boolean>> waiters = new ArrayList<>();
			for (RedisInstance instance : List.of(second, third)) {
				waiters.add(this.threads.submit(() -> {
					Lock wanted = instance.registry.obtain(this.key);
					boolean got = wanted.tryLock(Patience.CEILING.toSeconds(), TimeUnit.SECONDS);
					entered.incrementAndGet();
					seen.await();
					wanted.unlock();
					return got;
				}));
				instance.awaitWaiting(this.key);
			}
			this.lock.unlock();
			Patience.await().untilAtomic(entered, (count) -> assertThat(count).isPositive());
			assertThat(second.isWaiting(this.key)).isNotEqualTo(third.isWaiting(this.key));
			assertThat(entered).hasValue(1);
			seen.countDown();
			for (Future<Boolean> waiter : waiters) {
				assertThat(waiter.get()).isTrue();
			}
		}
	}

	/** In theirs: {@code testTwoThreadsRemoveAndObtainSameLockSimultaneously}. */
	@Test
	void locksWhenObtainedAndExpiredAtOnceAreTheSame() throws Exception {
		Callable<Lock> call = () -> {
			first.registry.expireUnusedOlderThan(0);
			Lock obtained = first.registry.obtain(this.key);
			obtained.lock();
			first.registry.expireUnusedOlderThan(-1000);
			obtained.unlock();
			return obtained;
		};
		for (int i = 0; i < 50; i++) {
			List<Future<Lock>> locks = this.threads.invokeAll(List.of(call, call));
			assertThat(locks.get(0).get()).isEqualTo(locks.get(1).get());
		}
		assertThat(isLocked()).isFalse();
	}

	/** In theirs: {@code testLockRenew}. */
	@Test
	void renewLockWhenHeldSetsTheConfiguredTtl() {
		this.lock.lock(LONG);
		first.registry.renewLock(this.key);
		assertThat(first.remaining(this.key)).isBetween(Duration.ofSeconds(1), CONFIGURED);
		this.lock.unlock();
	}

	/** In theirs: {@code testLockRenewWithCustomTtl}. */
	@Test
	void renewLockWithATtlSetsThatOne() {
		this.lock.lock();
		first.registry.renewLock(this.key, LONG);
		assertThat(first.remaining(this.key)).isBetween(LESS, LONG);
		this.lock.unlock();
	}

	/** In theirs: {@code testLockRenewLockNotOwned}. */
	@Test
	void renewLockWhenNotHeldThrows() throws Exception {
		assertThatIllegalStateException().isThrownBy(() -> first.registry.renewLock(this.key))
			.withMessageContaining("does not hold lock");
		this.lock.lock();
		onAnotherThread(
				() -> assertThatIllegalStateException().isThrownBy(() -> first.registry.renewLock(this.key, LONG)));
		this.lock.unlock();
	}

	@Test
	void renewLockWhenTheLeaseWasLostThrows() {
		this.lock.lock();
		first.takeAway(this.key);
		assertThatIllegalStateException().isThrownBy(() -> first.registry.renewLock(this.key))
			.withMessageContaining("was lost");
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
	}

	/** In theirs: {@code testUnlockWhenInterruptedBlocksUntilKeyRemoved}. */
	@Test
	void unlockWhenInterruptedFreesTheLock() {
		this.lock.lock();
		Thread.currentThread().interrupt();
		this.lock.unlock();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockInterruptiblyWhenInterruptedLeavesNothing() throws Exception {
		this.lockOfSecond.lock();
		Future<?> interrupted = this.threads.submit(() -> assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> first.registry.obtain(this.key).lockInterruptibly()));
		first.awaitWaiting(this.key);
		this.threads.shutdownNow();
		interrupted.get();
		assertThat(first.isWaiting(this.key)).isFalse();
		this.lockOfSecond.unlock();
		Patience.await().until(() -> !isLocked());
	}

	@Test
	void lockWhenInterruptedWaitsOn() throws Exception {
		this.lockOfSecond.lock();
		Future<Boolean> interrupted = this.threads.submit(() -> {
			this.lock.lock();
			this.lock.unlock();
			return Thread.currentThread().isInterrupted();
		});
		first.awaitWaiting(this.key);
		this.threads.shutdownNow();
		assertThat(first.isWaiting(this.key)).isTrue();
		this.lockOfSecond.unlock();
		assertThat(interrupted.get()).isTrue();
	}

	@Test
	void tryLockWhenTheLeaseWasLostTellsIt() throws InterruptedException {
		this.lock.lock();
		this.lock.lock();
		first.takeAway(this.key);
		assertThat(this.lock.tryLock(1, TimeUnit.MINUTES)).isFalse();
		assertThat(isLocked()).isFalse();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
		assertThatIllegalStateException().isThrownBy(this.lock::unlock);
	}

	@Test
	void tryLockWhenTheLossWasToldGetsTheLockAnew() {
		this.lock.lock();
		first.takeAway(this.key);
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		assertThat(isLocked()).isTrue();
		this.lock.unlock();
		assertThat(isLocked()).isFalse();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
		assertThatIllegalStateException().isThrownBy(this.lock::unlock);
	}

	@Test
	void lockWhenTheLeaseWasLostGetsItAnewAndTheLossIsTold() {
		this.lock.lock();
		first.takeAway(this.key);
		this.lock.lock();
		assertThat(isLocked()).isTrue();
		this.lock.unlock();
		assertThat(isLocked()).isFalse();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void executeLockedRunsUnderTheLock() throws Exception {
		first.registry.executeLocked(this.key, this::assertLocked);
		assertThat(first.registry.<Boolean, RuntimeException>executeLocked(this.key, this::isLocked)).isTrue();
		first.registry.executeLocked(this.key, LESS, this::assertLocked);
		assertThat(first.registry.<Boolean, RuntimeException>executeLocked(this.key, LESS, this::isLocked)).isTrue();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void executeLockedWhenTheLockIsBusyTimesOut() {
		this.lockOfSecond.lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> first.registry.executeLocked(this.key, Duration.ofMillis(500), this::assertLocked));
		this.lockOfSecond.unlock();
	}

	@Test
	void executeLockedWhenTheLeaseWasLostReportsIt() {
		assertThatExceptionOfType(ConcurrentModificationException.class)
			.isThrownBy(() -> first.registry.executeLocked(this.key, () -> first.takeAway(this.key)));
	}

	/** In theirs, a second registry waits for the first one on the same thread. */
	@Test
	void lockIsThatOfTheLibraryForItsNameAndKey() throws Exception {
		LeaseLock ours = first.locks.getLock(RedisInstance.NAME, this.key);
		DistributedLock ofAnotherRegistry = new IntegrationLockRegistry(first.locks, RedisInstance.NAME)
			.obtain(this.key);
		this.lock.lock();
		assertThat(ours.lease().fencingToken()).isPositive();
		assertThat(isTakenOnAnotherThread(ours)).isFalse();
		assertThat(ofAnotherRegistry.tryLock()).isTrue();
		this.lock.unlock();
		assertThat(isLocked()).isTrue();
		assertThatIllegalStateException().isThrownBy(this.lock::unlock);
		ofAnotherRegistry.unlock();
		assertThat(isLocked()).isFalse();
	}

}
