package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.LostLock;
import io.distributedlock.WaitingCaller;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.test.store.DelegatingLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** A registry shows its locks and those of others, and takes locks away. */
class LocalInspectionTests {

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	private final DefaultLockRegistry other = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	@AfterEach
	void close() {
		this.registry.close();
		this.other.close();
	}

	private static LockRequest orders(String... keys) {
		return LockRequest.ofAll(keys).name("orders").waitFor(Duration.ZERO);
	}

	@Test
	void nothingIsHeldAtFirst() {
		assertThat(this.registry.held()).isEmpty();
		assertThat(this.registry.waiting()).isEmpty();
		assertThat(this.registry.recentLosses()).isEmpty();
	}

	@Test
	void heldLockIsShownWithItsOwnerAndItsPlaceInTheApplication() {
		LeaseLock lock = this.registry.getLock("orders", "7");
		lock.lock();
		assertThat(this.registry.held()).singleElement().satisfies((held) -> {
			assertThat(held.name()).isEqualTo("orders");
			assertThat(held.keys()).containsExactly("7");
			assertThat(held.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(held.fencingToken()).isEqualTo(lock.lease().fencingToken());
			assertThat(held.remaining()).isPositive();
			assertThat(held.overdue()).isFalse();
			assertThat(held.owner()).isEqualTo("thread '" + Thread.currentThread().getName() + "'");
		});
		lock.unlock();
		assertThat(this.registry.held()).isEmpty();
	}

	/** A stack for each lock took long where a thread held many. */
	@Test
	void stackOfAThreadIsLookedAtOnceForAllOfItsLocks() throws Exception {
		AtomicInteger looks = new AtomicInteger();
		CountDownLatch held = new CountDownLatch(2);
		CompletableFuture<Void> done = new CompletableFuture<>();
		Thread owner = new Thread(() -> {
			List<LeaseLock> locks = Stream.of("7", "8").map((key) -> this.registry.getLock("orders", key)).toList();
			locks.forEach((lock) -> {
				lock.lock();
				held.countDown();
			});
			done.join();
			locks.forEach(LeaseLock::unlock);
		}) {
			@Override
			public StackTraceElement[] getStackTrace() {
				looks.incrementAndGet();
				return super.getStackTrace();
			}
		};
		owner.start();
		held.await();
		assertThat(this.registry.statistics().held()).isEqualTo(2);
		assertThat(this.registry.statistics().overdue()).isZero();
		assertThat(looks).hasValue(0);
		assertThat(this.registry.held()).hasSize(2);
		assertThat(looks).hasValue(1);
		done.complete(null);
		owner.join();
	}

	@Test
	void everyModeAndSetIsShownOnce() {
		try (Lease set = this.registry.acquire(orders("a", "b"));
				Lease reader = this.registry.acquire(orders("c").mode(LockMode.READ));
				Lease permit = this.registry.acquire(orders("d").mode(LockMode.SEMAPHORE).permits(2));
				Lease second = this.registry.acquire(orders("d").mode(LockMode.SEMAPHORE).permits(2));
				Lease fair = this.registry.acquire(orders("e").mode(LockMode.FAIR))) {
			assertThat(this.registry.held()).extracting(HeldLock::fencingToken)
				.containsExactlyInAnyOrder(set.fencingToken(), reader.fencingToken(), permit.fencingToken(),
						second.fencingToken(), fair.fencingToken());
			assertThat(this.registry.held()).filteredOn((held) -> held.keys().equals(List.of("a", "b"))).hasSize(1);
			assertThat(this.registry.held()).extracting(HeldLock::owner).containsOnly("");
		}
	}

	@Test
	void renewalsAreCounted() {
		try (Lease lease = this.registry.acquire(orders("7").ttl(Duration.ofSeconds(3)))) {
			await().until(() -> this.registry.held().get(0).renewals() > 0);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void callersThatWaitAreShownInTheirOrder() throws Exception {
		Lease lease = this.registry.acquire(orders("7"));
		CompletableFuture<Lease> forever = this.registry.acquireAsync(orders("7").waitFor(Duration.ofDays(1)))
			.toCompletableFuture();
		CountDownLatch done = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			this.registry.getLock("orders", "7").lock();
			this.registry.getLock("orders", "7").unlock();
			done.countDown();
		}, "waiter");
		thread.start();
		await().until(() -> this.registry.waiting().size() == 2);
		List<WaitingCaller> waiting = this.registry.waiting();
		assertThat(waiting).extracting(WaitingCaller::thread).containsExactly("", "waiter");
		assertThat(waiting).allSatisfy((caller) -> assertThat(caller.keys()).containsExactly("7"));
		assertThat(waiting.get(0).left()).isGreaterThan(Duration.ofHours(23));
		assertThat(waiting.get(1).left()).isNull();
		forever.cancel(true);
		lease.close();
		done.await();
		assertThat(this.registry.waiting()).isEmpty();
	}

	@Test
	void storeIsAskedForLocksOfOtherInstances() {
		assertThat(this.other.isLocked("orders", "7")).isFalse();
		try (Lease lease = this.registry.acquire(orders("7"))) {
			assertThat(this.other.isLocked("orders", "7")).isTrue();
			LockInspection seen = this.other.inspect("orders", "7");
			assertThat(seen.holders()).extracting(Holder::instance).containsExactly(this.registry.instance());
			assertThat(seen.holders().get(0).fencingToken()).isGreaterThanOrEqualTo(lease.fencingToken());
		}
		assertThat(this.other.isLocked("orders", "7")).isFalse();
		assertThat(this.other.isLocked("7")).isFalse();
	}

	/** The mode says it of all holders, so that none has to. */
	@Test
	void modeIsExclusiveUntilOnlyReadersAreLeft() {
		LeaseReadWriteLock lock = this.registry.getReadWriteLock("orders", "7");
		lock.writeLock().lock();
		lock.readLock().lock();
		LockInspection seen = this.other.inspect("orders", "7");
		assertThat(seen.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(seen.holders()).extracting(Holder::instance).hasSize(2).containsOnly(this.registry.instance());
		lock.writeLock().unlock();
		assertThat(this.other.inspect("orders", "7").mode()).isEqualTo(LockMode.READ);
		lock.readLock().unlock();
	}

	/** The store says so before the next renewal would. */
	@Test
	void holderLearnsAtOnceThatItsLockWasTakenAway() {
		Lease lease = this.registry.acquire(orders("7").ttl(Duration.ofHours(1)));
		String request = this.other.inspect("orders", "7").holders().get(0).request();
		assertThat(this.other.forceRelease("orders", "7", request)).isEqualTo(1);
		await().until(lease::isLost);
		await().until(() -> !this.registry.recentLosses().isEmpty());
		assertThat(this.registry.recentLosses()).singleElement()
			.extracting(LostLock::name, LostLock::keys, LostLock::reason, LostLock::fencingToken)
			.containsExactly("orders", List.of("7"), LossReason.NOT_OWNER, lease.fencingToken());
		this.other.acquire(orders("7")).close();
	}

	@Test
	void holderWithoutRenewalLearnsAtOnceToo() {
		Lease lease = this.registry.acquire(orders("7").ttl(Duration.ofHours(1)).renew(false));
		this.other.forceRelease("orders", "7", null);
		await().until(lease::isLost);
	}

	@Test
	void twentyLossesAreRememberedTheNewestFirst() {
		for (int i = 1; i <= 21; i++) {
			Lease lease = this.registry.acquire(orders("key" + i));
			this.other.forceRelease("orders", "key" + i, null);
			await().until(lease::isLost);
			String key = "key" + i;
			await().until(() -> !this.registry.recentLosses().isEmpty()
					&& this.registry.recentLosses().get(0).keys().contains(key));
		}
		assertThat(this.registry.recentLosses()).hasSize(20);
	}

	@Test
	void requestThatIsNoneIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.forceRelease("orders", "7", "me"))
			.withMessageContaining("32 hexadecimal digits");
	}

	private LockStore withoutMonitor() {
		return new DelegatingLockStore(new MemoryLockStore(this.locks)) {
			@Override
			public StoreMonitor monitor() {
				return null;
			}
		};
	}

	@Test
	void storeWithoutAMonitorIsNamed() {
		try (DefaultLockRegistry limited = new DefaultLockRegistry(withoutMonitor())) {
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> limited.inspect("7"))
				.withMessageContaining("can neither inspect locks nor take them away");
			assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> limited.forceRelease("", "7", null));
			assertThat(limited.statistics().sinceLastAnswer()).isEmpty();
		}
	}

	/** The exception had neither the lock nor its kind. */
	@Test
	void storeWhoseMonitorThrowsIsNotAvailable() {
		LockStore throwing = new DelegatingLockStore(new MemoryLockStore(this.locks)) {
			@Override
			public CompletableFuture<LockInspection> inspect(LockKey key) {
				throw new IllegalStateException("out of order");
			}
		};
		try (DefaultLockRegistry limited = new DefaultLockRegistry(throwing)) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> limited.inspect("orders", "7"))
				.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE))
				.withMessageContaining("orders:7")
				.withMessageContaining("out of order");
		}
	}

	/**
	 * The error of a missing class reached the caller, of an inspection and of a lock.
	 */
	@Test
	void storeWhoseMonitorThrowsAnErrorFailsOnlyItsOwnAnswers() {
		LockStore throwing = new DelegatingLockStore(new MemoryLockStore(this.locks)) {
			@Override
			public CompletableFuture<LockInspection> inspect(LockKey key) {
				if (key.key().equals("broken")) {
					throw new NoClassDefFoundError("a driver");
				}
				return super.inspect(key);
			}

			@Override
			public CompletableFuture<String> nameOf(String instance) {
				throw new NoClassDefFoundError("a driver");
			}
		};
		try (DefaultLockRegistry limited = new DefaultLockRegistry(throwing);
				Lease lease = this.registry.acquire(orders("7"))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> limited.inspect("orders", "broken"))
				.withMessageContaining("a driver");
			limited.announce("limited");
			assertThat(limited.tryAcquire(orders("7"))).isEmpty();
			assertThat(limited.inspect("orders", "7").holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.fencingToken()).isEqualTo(lease.fencingToken()));
		}
	}

	@Test
	void instanceHasANameWhereTheStoreKeepsNone() {
		try (DefaultLockRegistry limited = new DefaultLockRegistry(withoutMonitor());
				Lease lease = this.registry.acquire(orders("7"))) {
			limited.announce("orders@limited (1)");
			assertThat(limited.instanceName()).isEqualTo("orders@limited (1)");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> limited.acquire(orders("7").waitFor(Duration.ofMillis(50))))
				.withMessageContaining("instance " + this.registry.instance());
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void holderIsNamedToThoseThatHaveANameThemselves() {
		this.registry.announce("orders@one (1)");
		this.other.announce("orders@two (2)");
		await().until(() -> !new MemoryLockStore(this.locks).nameOf(this.registry.instance()).join().isEmpty());
		try (Lease lease = this.registry.acquire(orders("7"))) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.other.inspect("orders", "7").holders()).extracting(Holder::instanceName)
				.containsExactly("orders@one (1)");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.other.acquire(orders("7").waitFor(Duration.ofMillis(50))))
				.withMessageContaining("instance %s (orders@one (1))".formatted(this.registry.instance()));
		}
		assertThat(this.registry.instanceName()).isEqualTo("orders@one (1)");
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "a\nb" })
	void nameThatCannotBeUsedIsRefused(String name) {
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> this.registry.announce(name))
			.withMessageContaining("instanceName");
	}

}
