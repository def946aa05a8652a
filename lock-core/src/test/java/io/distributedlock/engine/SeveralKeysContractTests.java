package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of requests for several keys, on every store that takes them together.
 */
public abstract class SeveralKeysContractTests extends TwoInstances {

	private String other;

	private LockRequest both;

	protected SeveralKeysContractTests(SharedLocks locks) {
		super(locks);
	}

	@BeforeEach
	void nameKeys() {
		this.other = this.key + "-2";
		this.both = LockRequest.ofAll(this.other, this.key, this.other);
	}

	private LockRequest once(String... keys) {
		return LockRequest.ofAll(keys).waitFor(Duration.ZERO);
	}

	@Test
	void severalKeysAreTakenTogetherWithOneTokenAboveAllOfTheirs() {
		Lease single = this.there.acquire(LockRequest.of(this.other));
		single.close();
		try (Lease lease = this.here.acquire(this.both)) {
			assertThat(lease.keys()).containsExactly(this.key, this.other);
			assertThat(lease.fencingToken()).isGreaterThan(single.fencingToken())
				.isEqualTo(lease.fencingToken(this.key))
				.isEqualTo(lease.fencingToken(this.other));
			assertThat(this.there.tryAcquire(once())).isEmpty();
			assertThat(this.there.tryAcquire(once(this.other))).isEmpty();
			assertThat(this.here.tryAcquire(once())).isEmpty();
		}
		assertThat(this.there.tryAcquire(once(this.key, this.other))).isPresent();
	}

	@Test
	void lockOfSeveralKeysIsEnteredAgainAndHeldUntilTheLastUnlock() throws InterruptedException {
		LeaseLock lock = this.here.getLock(this.both);
		lock.lock();
		assertThat(lock.tryLock(LONG)).isTrue();
		assertThat(lock.key()).isEqualTo("[%s, %s]".formatted(this.key, this.other));
		assertThat(this.here.getLock(LockRequest.ofAll(this.key, this.other))).isEqualTo(lock);
		assertThat(lock.lease().keys()).containsExactly(this.key, this.other);
		lock.unlock();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		assertThat(this.there.tryAcquire(once(this.other))).isEmpty();
		lock.unlock();
		assertThat(this.there.tryAcquire(once(this.key, this.other))).isPresent();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining(this.other);
	}

	@Test
	void lockOfSeveralKeysIsTakenAllOrNone() throws InterruptedException {
		Lease held = this.there.acquire(LockRequest.of(this.other));
		LeaseLock lock = this.here.getLock(this.both);
		assertThat(lock.tryLock()).isFalse();
		assertThat(lock.tryLock(Duration.ZERO)).isFalse();
		assertThat(this.there.tryAcquire(once())).hasValueSatisfying(Lease::close);
		held.close();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void lockOfSeveralKeysIgnoresAnInterruptAndKeepsIt() throws Exception {
		Lease held = this.there.acquire(LockRequest.of(this.other));
		LeaseLock lock = this.here.getLock(this.both);
		CompletableFuture<Thread> waiting = new CompletableFuture<>();
		Future<Boolean> interrupted = this.threads.submit(() -> {
			waiting.complete(Thread.currentThread());
			lock.lock();
			lock.unlock();
			return Thread.interrupted();
		});
		awaitWaiting(this.here, 1);
		waiting.get().interrupt();
		held.close();
		assertThat(interrupted.get()).isTrue();
		awaitUnused();
	}

	@Test
	void severalKeysAreTakenAllOrNoneAndTheBusyOneIsNamed() {
		Lease held = this.there.acquire(LockRequest.of(this.other));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(this.both.waitFor(Duration.ZERO)))
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(this.other));
		assertThat(this.there.tryAcquire(once())).hasValueSatisfying(Lease::close);
		held.close();
		assertThat(this.here.tryAcquire(this.both)).isPresent();
	}

	@Test
	void requestOfTheMostKeysLocksEachOfThem() {
		String[] keys = IntStream.range(0, LockRequest.MAX_KEYS)
			.mapToObj((number) -> this.key + "-" + number)
			.toArray(String[]::new);
		LockRequest most = LockRequest.ofAll(keys).waitFor(LONG).ownedByCurrentThread();
		Lease lease = this.here.acquire(most);
		Lease again = this.here.acquire(most);
		assertThat(lease.isHeld()).isTrue();
		for (String key : List.of(keys[0], keys[keys.length / 2], keys[keys.length - 1])) {
			assertThat(this.there.tryAcquire(once(key))).isEmpty();
		}
		again.close();
		lease.close();
		assertThat(this.there.tryAcquire(most)).hasValueSatisfying(Lease::close);
		awaitUnused();
	}

	@Test
	void severalKeysAreWaitedForWithoutBlocking() throws Exception {
		Lease held = this.there.acquire(LockRequest.of(this.other));
		CompletableFuture<Lease> refused = this.here.acquireAsync(this.both.waitFor(IN_VAIN)).toCompletableFuture();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> refused.get())
			.withCauseInstanceOf(LockNotAcquiredException.class);
		CompletableFuture<Lease> waiting = this.here.acquireAsync(this.both.waitFor(LONG)).toCompletableFuture();
		held.close();
		Lease lease = waiting.get();
		lease.release().toCompletableFuture().get();
		await().until(() -> this.here.engine().queues.index.size() == 0);
		assertThat(this.there.tryAcquire(once(this.key, this.other))).isPresent();
	}

	@Test
	void ownerEntersASetAndItsPartsAgain() {
		Lease outer = this.here.acquire(this.both.ownedByCurrentThread());
		Lease part = this.here.acquire(once(this.other).ownedByCurrentThread());
		assertThat(part.keys()).containsExactly(this.other);
		assertThat(part.fencingToken()).isEqualTo(outer.fencingToken());
		Lease whole = this.here.acquire(this.both.waitFor(Duration.ZERO).ownedByCurrentThread());
		assertThat(whole.fencingToken()).isEqualTo(outer.fencingToken());
		outer.close();
		whole.close();
		assertThat(this.there.tryAcquire(once(this.key))).isEmpty();
		part.close();
		assertThat(this.there.tryAcquire(once(this.key, this.other))).isPresent();
	}

	@Test
	void ownerWhoHoldsOneKeyTakesTheOthersOnly() {
		Lease one = this.here.acquire(LockRequest.of(this.other).ownedByCurrentThread());
		Lease all = this.here.acquire(this.both.waitFor(Duration.ZERO).ownedByCurrentThread());
		assertThat(all.isHeld()).isTrue();
		assertThat(all.fencingToken(this.other)).isEqualTo(one.fencingToken());
		all.close();
		assertThat(this.there.tryAcquire(once())).hasValueSatisfying(Lease::close);
		assertThat(this.there.tryAcquire(once(this.other))).isEmpty();
		one.close();
	}

	@Test
	void ownerWhoHoldsASetTakesAnOverlappingOne() {
		String third = this.key + "-3";
		Lease first = this.here.acquire(this.both.ownedByCurrentThread());
		Lease overlapping = this.here.acquire(once(this.other, third).ownedByCurrentThread());
		assertThat(overlapping.fencingToken(this.other)).isEqualTo(first.fencingToken());
		assertThat(this.there.tryAcquire(once(third))).isEmpty();
		first.close();
		overlapping.close();
		assertThat(this.there.tryAcquire(once(this.key, this.other, third))).isPresent();
	}

	@Test
	void setIsRenewedAndLostAsAWhole() {
		Lease lease = this.here.acquire(this.both.ttl(RENEWED));
		long end = System.nanoTime() + RENEWED.plus(BRIEF).toNanos();
		await().until(() -> {
			assertThat(lease.isHeld()).isTrue();
			return System.nanoTime() > end;
		});
		assertThat(this.there.tryAcquire(once(this.other))).isEmpty();
		stealFromHere(this.key);
		awaitLoss(LossReason.NOT_OWNER);
		assertThat(lease.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(this.there.acquire(LockRequest.ofAll(this.key, this.other).waitFor(LONG)).isHeld()).isTrue();
	}

	@Test
	void setWhoseLastKeyIsLostIsLostAsAWhole() {
		Lease lease = this.here.acquire(this.both);
		stealFromHere(lease.keys().get(1));
		awaitLoss(LossReason.NOT_OWNER);
		assertThat(lease.isHeld()).isFalse();
	}

	/** The keys that were left stayed locked for a whole ttl. */
	@Test
	void setThatLostOneKeyFreesTheOthersWhenItIsClosed() {
		Lease lease = this.here.acquire(this.both.ttl(LONG));
		stealFromHere(this.key);
		awaitLoss(LossReason.NOT_OWNER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(this.there.acquire(LockRequest.of(this.other).waitFor(Duration.ofSeconds(30))).isHeld()).isTrue();
	}

	@Test
	void setIsKeptAsAWhole() {
		this.here.acquire(this.both.keepFor(LONG)).close();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		assertThat(this.there.tryAcquire(once(this.other))).isEmpty();
	}

	@Test
	void overlappingSetsNeverOverlapInTimeAndNeverDeadLock() throws Exception {
		AtomicIntegerArray inside = new AtomicIntegerArray(4);
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			DefaultLockRegistry mine = (i % 2 == 0) ? this.here : this.there;
			Random random = new Random(i);
			all.add(this.threads.submit(() -> {
				for (int round = 0; round < 30; round++) {
					enter(mine, random, inside);
				}
			}));
		}
		for (Future<?> one : all) {
			one.get();
		}
		awaitUnused();
	}

	private void enter(DefaultLockRegistry registry, Random random, AtomicIntegerArray inside) {
		List<Integer> numbers = random.ints(1 + random.nextInt(3), 0, 4).distinct().boxed().toList();
		List<String> keys = numbers.stream().map((number) -> this.key + "#" + number).toList();
		try (Lease lease = registry.acquire(LockRequest.ofAll(keys).waitFor(LONG).ownedByCurrentThread())) {
			assertThat(lease.isHeld()).isTrue();
			numbers.forEach((number) -> assertThat(inside.incrementAndGet(number)).isEqualTo(1));
			numbers.forEach(inside::decrementAndGet);
		}
	}

}
