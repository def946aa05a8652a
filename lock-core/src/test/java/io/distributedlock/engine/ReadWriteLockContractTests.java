package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUpgradeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The contract between readers and writers, on every store.
 */
public abstract class ReadWriteLockContractTests extends TwoInstances {

	/** A quarter of the time that readers have. */
	private static final Duration STANDSTILL = Duration.ofMillis(250);

	protected ReadWriteLockContractTests(SharedLocks locks) {
		super(locks);
	}

	private LockRequest read() {
		return request().mode(LockMode.READ);
	}

	private LockRequest write() {
		return request().mode(LockMode.EXCLUSIVE);
	}

	private LockRequest tryRead() {
		return read().waitFor(Duration.ZERO);
	}

	private LockRequest tryWrite() {
		return write().waitFor(Duration.ZERO);
	}

	@Test
	void readersShareTheLockAndItsTokenAndExcludeWriters() {
		Lease first = this.here.acquire(read());
		Lease second = this.there.acquire(read());
		Lease third = this.here.acquire(read());
		assertTokens(first.fencingToken(), second.fencingToken());
		assertTokens(second.fencingToken(), third.fencingToken());
		assertThat(this.here.tryAcquire(tryWrite())).isEmpty();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		assertThat(this.there.tryAcquire(once().mode(this.locks.queued()))).isEmpty();
		first.close();
		second.close();
		assertThat(this.there.tryAcquire(tryWrite())).isEmpty();
		third.close();
		Lease writer = this.there.acquire(tryWrite());
		assertThat(writer.fencingToken()).isGreaterThan(third.fencingToken());
		assertThat(this.here.tryAcquire(tryRead())).isEmpty();
		assertThat(this.there.tryAcquire(tryRead())).isEmpty();
		writer.close();
		assertThat(this.here.tryAcquire(tryRead())).isPresent();
	}

	/** Readers who hold a lock together share its token. */
	protected void assertTokens(long reader, long laterReader) {
		assertThat(laterReader).isEqualTo(reader);
	}

	@Test
	void threadsOfTwoInstancesNeverReadWhileOneWrites() throws Exception {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger mostReaders = new AtomicInteger();
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			LeaseReadWriteLock lock = ((i % 2 == 0) ? this.here : this.there).getReadWriteLock(this.key);
			boolean writes = i % 3 == 0;
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < 15; round++) {
					if (writes) {
						lock.writeLock().lock();
						assertThat(writers.incrementAndGet()).isOne();
						assertThat(readers).hasValue(0);
						Thread.yield();
						writers.decrementAndGet();
						lock.writeLock().unlock();
					}
					else {
						lock.readLock().lock();
						mostReaders.accumulateAndGet(readers.incrementAndGet(), Math::max);
						assertThat(writers).hasValue(0);
						stayForAnother(mostReaders);
						readers.decrementAndGet();
						lock.readLock().unlock();
					}
				}
				return null;
			}));
		}
		for (Future<?> worker : workers) {
			worker.get();
		}
		assertThat(mostReaders.get()).isGreaterThan(1);
		awaitUnused();
	}

	/**
	 * Readers that are admitted now are inside together, however slowly they arrive.
	 * While a writer waits, no reader is admitted.
	 */
	private static void stayForAnother(AtomicInteger mostReaders) {
		long end = System.nanoTime() + Duration.ofMillis(100).toNanos();
		while (mostReaders.get() < 2 && System.nanoTime() < end) {
			Thread.yield();
		}
	}

	@Test
	void writerIsServedWithinAStreamOfReaders() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		CountDownLatch reading = new CountDownLatch(4);
		List<Future<?>> readers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? this.here : this.there;
			readers.add(this.threads.submit(() -> {
				// Each takes the next read lock before it gives up the last one.
				Lease last = registry.acquire(read());
				reading.countDown();
				while (!over.get()) {
					Lease next = registry.tryAcquire(tryRead()).orElse(null);
					last.close();
					last = (next != null) ? next : registry.acquire(read().waitFor(LONG));
				}
				last.close();
				return null;
			}));
		}
		reading.await();
		for (int i = 0; i < 5; i++) {
			this.here.acquire(write().waitFor(Duration.ofSeconds(20))).close();
			this.there.acquire(write().waitFor(Duration.ofSeconds(20))).close();
		}
		over.set(true);
		for (Future<?> reader : readers) {
			reader.get();
		}
		awaitUnused();
	}

	/**
	 * Readers that are let in have a second to come; the next writer is before one that
	 * is later. An attempt tells nothing if the machine stood still for a part of that
	 * second, so that another call was not answered either.
	 */
	@Test
	void readersThatWaitForAWriterComeBeforeTheNextOne() throws Exception {
		boolean together = false;
		Duration longest = STANDSTILL;
		for (int attempt = 0; attempt < 5 && !together && longest.compareTo(STANDSTILL) >= 0; attempt++) {
			Lease writer = this.here.acquire(write());
			CompletableFuture<Lease> nextWriter = this.there.acquireAsync(write().waitFor(LONG)).toCompletableFuture();
			awaitWaiting(this.there, 1);
			CompletableFuture<Lease> reader = this.there.acquireAsync(read().waitFor(LONG)).toCompletableFuture();
			CompletableFuture<Lease> other = this.here.acquireAsync(read().waitFor(LONG)).toCompletableFuture();
			awaitWaiting(this.there, 2);
			awaitWaiting(this.here, 2);
			CompletableFuture<Void> both = CompletableFuture.allOf(reader, other);
			longest = longestCallUntil(both, writer::close);
			CompletableFuture.anyOf(reader, other).get();
			assertThat(nextWriter).isNotDone();
			together = isDoneSoon(both);
			// A late reader comes after the writer, which waits for the other reader.
			CompletableFuture<Lease> late = this.here.acquireAsync(read().waitFor(LONG)).toCompletableFuture();
			CompletableFuture<?> read = CompletableFuture.allOf(reader.thenAccept(Lease::close),
					other.thenAccept(Lease::close));
			Lease next = nextWriter.get();
			assertThat(late).isNotDone();
			next.close();
			late.get().close();
			read.get();
			awaitUnused();
		}
		assertThat(together).as("both readers come before the next writer; the longest call took %s", longest).isTrue();
	}

	/**
	 * How long the longest of many calls on both instances took, the action among them,
	 * until it is done or the second that readers have is over.
	 */
	private Duration longestCallUntil(CompletableFuture<?> done, Runnable action) {
		LockRequest call = LockRequest.of("calls of " + this.key).waitFor(LONG);
		long begin = System.nanoTime();
		long end = begin + TimeUnit.SECONDS.toNanos(1);
		action.run();
		long longest = System.nanoTime() - begin;
		while (!done.isDone() && begin < end) {
			begin = System.nanoTime();
			this.here.acquire(call).close();
			this.there.acquire(call).close();
			longest = Math.max(longest, System.nanoTime() - begin);
		}
		return Duration.ofNanos(longest);
	}

	/** Return whether it is done within some times the second that readers have. */
	private static boolean isDoneSoon(CompletableFuture<?> all) throws Exception {
		try {
			all.get(4, TimeUnit.SECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	@Test
	void ownerEntersEachLockAgain() {
		LeaseReadWriteLock lock = this.here.getReadWriteLock(this.key);
		lock.readLock().lock();
		Lease outer = lock.readLock().lease();
		assertThat(lock.readLock().tryLock()).isTrue();
		assertThat(lock.readLock().lease().fencingToken()).isEqualTo(outer.fencingToken());
		lock.readLock().unlock();
		assertThat(this.there.tryAcquire(tryWrite())).isEmpty();
		assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
		lock.readLock().unlock();
		lock.writeLock().lock();
		this.here.getLock(this.key).lock();
		this.here.acquire(tryWrite().mode(this.locks.queued()).ownedByCurrentThread()).close();
		lock.writeLock().unlock();
		assertThat(this.there.tryAcquire(tryRead())).isEmpty();
		lock.writeLock().unlock();
		assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
		assertThat(this.there.tryAcquire(tryRead())).isPresent();
	}

	@Test
	void lockOfAReadRequestIsTheReadLock() {
		LeaseLock reader = this.here.getLock(LockRequest.of(this.key).mode(LockMode.READ));
		assertThat(reader).isEqualTo(this.here.getReadWriteLock(this.key).readLock())
			.isNotEqualTo(this.here.getLock(this.key));
		reader.lock();
		assertThat(this.there.tryAcquire(read())).hasValueSatisfying(Lease::close);
		assertThat(this.there.tryAcquire(once())).isEmpty();
		reader.unlock();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void locksWithANameAreThoseOfRequestsOfThatName() {
		LeaseReadWriteLock lock = this.here.getReadWriteLock("prices", this.key);
		lock.readLock().lock();
		assertThat(this.there.tryAcquire(tryRead().name("prices"))).hasValueSatisfying(Lease::close);
		assertThat(this.there.tryAcquire(tryWrite().name("prices"))).isEmpty();
		assertThat(this.there.tryAcquire(tryWrite())).hasValueSatisfying(Lease::close);
		assertThat(this.here.getReadWriteLock(this.key).readLock().isHeldByCurrentThread()).isFalse();
		lock.readLock().unlock();
		lock.writeLock().lock();
		assertThat(this.here.getLock("prices", this.key).isHeldByCurrentThread()).isTrue();
		assertThat(this.there.tryAcquire(tryRead().name("prices"))).isEmpty();
		lock.writeLock().unlock();
		assertThat(lock).hasToString("LeaseReadWriteLock[prices:" + this.key + "]");
	}

	@Test
	void readerEntersAgainThoughAWriterWaits() {
		LeaseLock mine = this.here.getReadWriteLock(this.key).readLock();
		mine.lock();
		CompletableFuture<Lease> writer = this.there.acquireAsync(write().waitFor(LONG)).toCompletableFuture();
		awaitWaiting(this.there, 1);
		assertThat(mine.tryLock()).isTrue();
		mine.unlock();
		assertThat(writer).isNotDone();
		mine.unlock();
		writer.join().close();
	}

	@Test
	void writerGoesOnAsAReaderAndNoWriterComesBetween() {
		LeaseReadWriteLock lock = this.here.getReadWriteLock(this.key);
		lock.writeLock().lock();
		CompletableFuture<Lease> writer = this.there.acquireAsync(write().waitFor(LONG)).toCompletableFuture();
		CompletableFuture<Lease> reader = this.there.acquireAsync(read().waitFor(LONG)).toCompletableFuture();
		awaitWaiting(this.there, 2);
		assertThat(lock.readLock().tryLock()).isTrue();
		lock.writeLock().unlock();
		assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
		Lease theirs = reader.join();
		assertThat(writer).isNotDone();
		lock.readLock().unlock();
		assertThat(writer).isNotDone();
		theirs.close();
		writer.join().close();
		awaitUnused();
	}

	@Test
	void writerWhoReadsKeepsReadersOutUntilItOnlyReads() {
		LeaseReadWriteLock lock = this.here.getReadWriteLock(this.key);
		lock.writeLock().lock();
		lock.readLock().lock();
		assertThat(this.there.tryAcquire(tryRead())).isEmpty();
		lock.readLock().unlock();
		assertThat(this.there.tryAcquire(tryRead())).isEmpty();
		assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue();
		lock.writeLock().unlock();
		assertThat(this.there.tryAcquire(tryRead())).isPresent();
	}

	@Test
	void readerWhoWantsToWriteIsRefusedAtOnce() throws Exception {
		LeaseReadWriteLock lock = this.here.getReadWriteLock(this.key);
		lock.readLock().lock();
		LeaseLock write = lock.writeLock();
		assertUpgradeIsRefused(write::lock);
		assertUpgradeIsRefused(write::tryLock);
		assertUpgradeIsRefused(() -> write.tryLock(20, TimeUnit.SECONDS));
		assertUpgradeIsRefused(write::lockInterruptibly);
		assertUpgradeIsRefused(() -> this.here.getLock(this.key).lock());
		assertUpgradeIsRefused(() -> this.here.tryAcquire(tryWrite().ownedByCurrentThread()));
		assertUpgradeIsRefused(() -> this.here.acquire(request().mode(this.locks.queued()).ownedByCurrentThread()));
		assertUpgradeIsRefused(
				() -> new LockTemplate(this.here).execute(write().ownedByCurrentThread(), (lease) -> "never"));
		LockRequest set = LockRequest.ofAll(this.key, this.key + "-2").waitFor(LONG).ownedByCurrentThread();
		assertUpgradeIsRefused(() -> this.here.acquire(set));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(
				() -> this.here.acquireAsync(write().waitFor(LONG).ownedByCurrentThread()).toCompletableFuture().get())
			.withCauseInstanceOf(LockUpgradeException.class);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.here.acquireAsync(set).toCompletableFuture().get())
			.withCauseInstanceOf(LockUpgradeException.class);
		assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
		lock.readLock().unlock();
		assertThat(lock.writeLock().tryLock()).isTrue();
		lock.writeLock().unlock();
		awaitUnused();
	}

	private void assertUpgradeIsRefused(ThrowingCallable attempt) {
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(attempt).withMessageContaining(this.key);
	}

	@Test
	void keysOfASetAreReadTogetherAndReadAgainOneByOne() {
		String other = this.key + "-2";
		LockRequest set = LockRequest.ofAll(this.key, other).mode(LockMode.READ);
		Lease mine = this.here.acquire(set.ownedByCurrentThread());
		Lease theirs = this.there.acquire(set);
		Lease part = this.here.acquire(tryRead().ownedByCurrentThread());
		assertUpgradeIsRefused(() -> this.here.acquire(tryWrite().ownedByCurrentThread()));
		assertThat(this.there.tryAcquire(LockRequest.of(other).waitFor(Duration.ZERO))).isEmpty();
		mine.close();
		theirs.close();
		assertThat(this.there.tryAcquire(tryWrite())).isEmpty();
		part.close();
		assertThat(this.there.tryAcquire(LockRequest.ofAll(this.key, other).waitFor(Duration.ZERO))).isPresent();
	}

	@Test
	void writerOfASetReadsOneOfItsKeysAndAnother() {
		String other = this.key + "-2";
		String third = this.key + "-3";
		Lease mine = this.here.acquire(LockRequest.ofAll(this.key, other).ownedByCurrentThread());
		Lease reading = this.here.acquire(LockRequest.ofAll(other, third)
			.mode(LockMode.READ)
			.waitFor(Duration.ofSeconds(20))
			.ownedByCurrentThread());
		mine.close();
		assertThat(reading.isHeld()).isTrue();
		assertThat(this.there.tryAcquire(LockRequest.of(other).waitFor(Duration.ZERO))).isEmpty();
		assertThat(this.there.tryAcquire(LockRequest.of(third).waitFor(Duration.ZERO))).isEmpty();
		assertThat(this.there.tryAcquire(tryWrite())).isPresent();
		reading.close();
		assertThat(this.there.tryAcquire(LockRequest.ofAll(other, third).waitFor(Duration.ZERO))).isPresent();
	}

	@Test
	void readersAreRenewedEachForItself() {
		Lease renewed = this.here.acquire(read().ttl(RENEWED));
		Lease notRenewed = this.here.acquire(read().ttl(RENEWED).renew(false));
		await().until(() -> !notRenewed.isHeld());
		assertThat(renewed.isHeld()).isTrue();
		long end = System.nanoTime() + BRIEF.toNanos();
		await().until(() -> {
			assertThat(renewed.isHeld()).isTrue();
			return System.nanoTime() > end;
		});
		assertThat(this.there.tryAcquire(tryWrite())).isEmpty();
		renewed.close();
		this.there.acquire(write().waitFor(Duration.ofSeconds(30))).close();
	}

	@Test
	void readerWhoGivesUpLeavesNothingThatKeepsAWriterOut() throws Exception {
		Lease writer = this.here.acquire(write());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.there.acquire(read().waitFor(IN_VAIN)));
		CompletableFuture<Lease> cancelled = this.there.acquireAsync(read().waitFor(LONG)).toCompletableFuture();
		awaitWaiting(this.there, 1);
		cancelled.cancel(true);
		Thread interrupted = new Thread(() -> {
			try {
				this.there.acquireInterruptibly(read().waitFor(LONG), false);
			}
			catch (InterruptedException ignored) {
				// As it should be.
			}
		});
		interrupted.start();
		awaitWaiting(this.there, 1);
		interrupted.interrupt();
		interrupted.join(20_000);
		assertThat(interrupted.isAlive()).isFalse();
		await().until(() -> this.there.engine().instance.backgroundCount() == 0);
		writer.close();
		this.here.acquire(tryWrite()).close();
		awaitUnused();
	}

	@Test
	void writerWhoGivesUpLetsTheReadersIn() throws Exception {
		Lease reader = this.here.acquire(read());
		CompletableFuture<Lease> writer = this.there.acquireAsync(write().waitFor(LONG)).toCompletableFuture();
		awaitWaiting(this.there, 1);
		CompletableFuture<Lease> next = this.here.acquireAsync(read().waitFor(LONG)).toCompletableFuture();
		awaitWaiting(this.here, 2);
		assertThat(next).isNotDone();
		writer.cancel(true);
		next.get().close();
		reader.close();
		awaitUnused();
	}

}
