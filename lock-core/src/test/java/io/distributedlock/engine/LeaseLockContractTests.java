package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.TemplateLease;
import io.distributedlock.engine.internal.line.QueueView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of locks and leases that threads own, on every store.
 */
public abstract class LeaseLockContractTests extends TwoInstances {

	protected LeaseLockContractTests(SharedLocks locks) {
		super(locks);
	}

	@Test
	void ownerEntersAgainWithTheSameToken() {
		LockRequest mine = request().ownedByCurrentThread();
		Lease outer = this.here.acquire(mine);
		Lease inner = this.here.acquire(mine);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		inner.close();
		assertThat(outer.isHeld()).isTrue();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		outer.close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void ownerEntersAgainInAnyOrderOfClosing() {
		LockRequest mine = request().ownedByCurrentThread();
		Lease outer = this.here.acquire(mine);
		Lease inner = this.here.acquire(mine);
		outer.close();
		assertThat(inner.isHeld()).isTrue();
		inner.close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void ownerWhoEntersAgainWithALongerTtlLengthensTheLease() {
		Lease outer = this.here.acquire(request().ownedByCurrentThread().ttl(LONG.dividedBy(3)).renew(false));
		Lease inner = this.here.acquire(request().ownedByCurrentThread().ttl(LONG).renew(false));
		assertThat(outer.remaining()).isGreaterThan(Duration.ofSeconds(20));
		inner.close();
		outer.close();
	}

	@Test
	void ownerWhoEntersAgainWithAShorterTtlShortensNothing() {
		Lease outer = this.here.acquire(request().ownedByCurrentThread().ttl(LONG).renew(false));
		Lease inner = this.here.acquire(request().ownedByCurrentThread().ttl(BRIEF).renew(false));
		assertThat(inner.remaining()).isGreaterThan(Duration.ofSeconds(20));
		inner.close();
		outer.close();
	}

	@Test
	void ownerWhoEntersAgainTooOftenGetsAnErrorAndLosesNothing() {
		LockRequest mine = request().ownedByCurrentThread();
		Lease outer = this.here.acquire(mine);
		List<Lease> nested = new ArrayList<>();
		for (int i = 1; i < QueueView.MAX_HOLDS; i++) {
			nested.add(this.here.acquire(mine));
		}
		assertThatIllegalStateException().isThrownBy(() -> this.here.acquire(mine)).withMessageContaining(this.key);
		Collections.reverse(nested);
		nested.forEach(Lease::close);
		assertThat(outer.isHeld()).isTrue();
		outer.close();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void detachedLeaseCannotBeEnteredByItsThread() {
		Lease lease = this.here.acquire(request().ownedByCurrentThread());
		((TemplateLease) lease).detach();
		assertThat(this.here.tryAcquire(once().ownedByCurrentThread())).isEmpty();
		lease.close();
		assertThat(this.here.tryAcquire(once().ownedByCurrentThread())).isPresent();
	}

	@Test
	void detachOfTheInnerLeaseLeavesTheOuterItsOwner() {
		LockRequest mine = request().ownedByCurrentThread().waitFor(Duration.ZERO);
		Lease outer = this.here.acquire(mine);
		Lease inner = this.here.acquire(mine);
		((TemplateLease) inner).detach();
		this.here.acquire(mine).close();
		outer.close();
		assertThat(this.here.tryAcquire(mine)).isEmpty();
		assertThat(inner.isHeld()).isTrue();
		inner.close();
		assertThat(this.here.tryAcquire(mine)).isPresent();
	}

	@Test
	void lockIsNotInterruptibleAndRestoresTheFlag() throws Exception {
		LeaseLock theirs = this.there.getLock(this.key);
		theirs.lock();
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			LeaseLock mine = this.here.getLock(this.key);
			mine.lock();
			flag.complete(Thread.currentThread().isInterrupted());
			mine.unlock();
		});
		thread.start();
		await().until(() -> this.here.engine().queues.index.size() == 1);
		thread.interrupt();
		theirs.unlock();
		assertThat(flag.get()).isTrue();
		thread.join(10_000);
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void lockInterruptiblyThrowsAtOnce() throws Exception {
		LeaseLock theirs = this.there.getLock(this.key);
		theirs.lock();
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				this.here.getLock(this.key).lockInterruptibly();
				outcome.complete(null);
			}
			catch (InterruptedException ex) {
				outcome.complete(ex);
			}
		});
		thread.start();
		await().until(() -> this.here.engine().queues.index.size() == 1);
		thread.interrupt();
		assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
		assertThat(this.here.engine().queues.index.size()).isZero();
		theirs.unlock();
	}

	/** The one tryLock refused a time that the other took as none. */
	@Test
	void tryLockWhenTheTimeIsNegativeTriesOnce() throws Exception {
		LeaseLock lock = this.here.getLock(this.key);
		assertThat(lock.tryLock(Duration.ofSeconds(-1))).isTrue();
		assertThat(lock.tryLock(Duration.ofSeconds(-1), LONG)).isTrue();
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isTrue();
		assertThat(lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isTrue();
		assertThat(this.threads.submit(() -> lock.tryLock(Duration.ofSeconds(-1))).get()).isFalse();
		lock.unlock();
		lock.unlock();
		lock.unlock();
		lock.unlock();
	}

	@Test
	void locksWhenOfOneRegistryAndOneKeyAreEqual() {
		LeaseLock lock = this.here.getLock("prices", this.key);
		LeaseReadWriteLock both = this.here.getReadWriteLock("prices", this.key);
		assertThat(lock).isEqualTo(this.here.getLock("prices", this.key))
			.hasSameHashCodeAs(this.here.getLock("prices", this.key))
			.isEqualTo(both.writeLock())
			.isNotEqualTo(both.readLock())
			.isNotEqualTo(this.here.getLock(this.key))
			.isNotEqualTo(this.there.getLock("prices", this.key))
			.isNotEqualTo(this.key);
		assertThat(both).isEqualTo(this.here.getReadWriteLock("prices", this.key))
			.hasSameHashCodeAs(this.here.getReadWriteLock("prices", this.key))
			.isNotEqualTo(this.there.getReadWriteLock("prices", this.key));
	}

	@Test
	void tryLockOfALockThatAnotherThreadHoldsIsFalse() throws Exception {
		LeaseLock lock = this.here.getLock(this.key);
		lock.lock();
		LeaseLock again = this.here.getLock(this.key);
		assertThat(again.tryLock()).isTrue();
		assertThat(again.lease().fencingToken()).isEqualTo(lock.lease().fencingToken());
		assertThat(this.threads.submit(() -> lock.tryLock()).get()).isFalse();
		assertThat(this.threads.submit(() -> lock.tryLock(50, TimeUnit.MILLISECONDS)).get()).isFalse();
		again.unlock();
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.threads.submit(() -> {
			boolean locked = lock.tryLock(Duration.ofSeconds(20), LONG);
			lock.unlock();
			return locked;
		}).get()).isTrue();
	}

	@Test
	void locksOfOneKeyWithDifferentTtlsDoNotMixThemUp() {
		LeaseLock lock = this.here.getLock(this.key);
		lock.lock(LONG.multipliedBy(2));
		assertThat(lock.lease().remaining()).isGreaterThan(LONG);
		lock.unlock();
		lock.lock();
		assertThat(lock.lease().remaining()).isLessThanOrEqualTo(LONG);
		lock.unlock();
	}

	@Test
	void lockOfARequestHasItsOptionsAndIsTheLockOfItsKey() {
		LeaseLock lock = this.here.getLock(LockRequest.of(this.key).ttl(LONG).renew(false));
		lock.lock();
		assertThat(lock.lease().remaining()).isLessThanOrEqualTo(LONG).isGreaterThan(LONG.dividedBy(2));
		assertThat(this.there.tryAcquire(once())).isEmpty();
		LeaseLock plain = this.here.getLock(this.key);
		assertThat(plain).isEqualTo(lock).hasSameHashCodeAs(lock);
		plain.lock();
		plain.unlock();
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		plain.unlock();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void lockOfARequestThatIsNotRenewedIsLostAfterItsTtl() {
		LeaseLock lock = this.here.getLock(LockRequest.of(this.key).ttl(BRIEF).renew(false));
		lock.lock();
		awaitLoss(LossReason.NOT_RENEWED);
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

	@Test
	void lockOfARequestWithAnOwnerOrAWaitIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.getLock(once()))
			.withMessageContaining("leave waitFor out")
			.withMessageContaining(this.key);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.here.getLock(LockRequest.of(this.key).ownedByCurrentThread()))
			.withMessageContaining("leave ownedBy out")
			.withMessageContaining(this.key);
	}

	@Test
	void unlockByAThreadThatDoesNotHoldIsRefused() {
		LeaseLock lock = this.here.getLock(this.key);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining(this.key);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::lease);
	}

	/** A lock and a guarded method could never meet where that one had a name. */
	@Test
	void lockWithANameIsThatOfRequestsOfThatName() {
		LockRequest named = once().name("prices");
		LeaseLock lock = this.here.getLock("prices", this.key);
		lock.lock();
		assertThat(this.there.tryAcquire(named)).isEmpty();
		assertThat(this.there.getLock("prices", this.key).tryLock()).isFalse();
		assertThat(this.there.tryAcquire(once())).isPresent();
		assertThat(lock.lease().name()).isEqualTo("prices");
		lock.unlock();
		// A node of a quorum may still keep the lock for the refused attempt.
		assertThat(this.there.acquire(request().name("prices")).isHeld()).isTrue();
	}

	@Test
	void threadThatHoldsALockDoesNotHoldItsKeyUnderAnotherName() {
		LeaseLock lock = this.here.getLock("prices", this.key);
		lock.lock();
		LeaseLock other = this.here.getLock("orders", this.key);
		assertThat(other.isHeldByCurrentThread()).isFalse();
		assertThat(this.here.getLock(this.key).isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(other::unlock)
			.withMessageContaining("does not hold lock 'orders:" + this.key + "'");
		assertThat(this.here.getLock("prices", this.key).isHeldByCurrentThread()).isTrue();
		this.here.getLock("prices", this.key).unlock();
		LeaseLock nameless = this.here.getLock("", this.key);
		nameless.lock();
		this.here.getLock(this.key).unlock();
		assertThat(nameless.isHeldByCurrentThread()).isFalse();
	}

	@Test
	void unlockOfALostLeaseThrowsAndTheThreadCanLockAgain() {
		LeaseLock lock = this.here.getLock(this.key);
		lock.lock();
		stealFromHere(this.key);
		awaitLoss(LossReason.NOT_OWNER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		lock.lock();
		lock.unlock();
	}

}
