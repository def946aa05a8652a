package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of a lease from its acquisition to its release or loss, on every store.
 */
public abstract class LeaseContractTests extends TwoInstances {

	protected LeaseContractTests(SharedLocks locks) {
		super(locks);
	}

	@Test
	void renewalKeepsALeaseBeyondItsTtl() {
		Lease lease = this.here.acquire(request().ttl(RENEWED));
		long end = System.nanoTime() + RENEWED.plus(BRIEF).toNanos();
		await().until(() -> {
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.there.tryAcquire(once())).isEmpty();
			return System.nanoTime() > end;
		});
		lease.close();
	}

	@Test
	void renewalStopsAtMaxHold() {
		Lease lease = this.here.acquire(request().ttl(BRIEF).maxHold(BRIEF.dividedBy(2)));
		await().until(() -> !lease.isHeld());
		awaitLoss(LossReason.MAX_HOLD);
		assertThat(this.there.acquire(request()).isHeld()).isTrue();
	}

	@Test
	void leaseWithoutRenewalIsLostAtItsEnd() {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.here.acquire(request().ttl(BRIEF).renew(false));
		lease.onLost(told::incrementAndGet);
		await().until(() -> !lease.isHeld());
		awaitLoss(LossReason.NOT_RENEWED);
		await().until(() -> told.get() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_RENEWED));
		assertThat(this.there.acquire(request()).isHeld()).isTrue();
		assertThat(told).hasValue(1);
	}

	@Test
	void leaseIsInvalidBeforeTheStoreGivesTheLockAway() {
		for (int i = 0; i < 3; i++) {
			Lease lease = this.here
				.acquire(request().ttl(Duration.ofMillis(150)).renew(false).whenLost(WhenLost.IGNORE));
			Lease next = this.there.acquire(request().waitFor(LONG));
			assertThat(lease.isHeld()).isFalse();
			next.close();
			lease.close();
		}
	}

	@Test
	void stolenLeaseIsToldOnceToEveryHold() {
		AtomicInteger told = new AtomicInteger();
		LockRequest mine = request().ttl(RENEWED).ownedByCurrentThread();
		Lease outer = this.here.acquire(mine);
		Lease inner = this.here.acquire(mine);
		outer.onLost(told::incrementAndGet);
		inner.onLost(told::incrementAndGet);
		steal(this.key);
		awaitLoss(LossReason.NOT_OWNER);
		await().until(() -> told.get() == 2);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::checkHeld);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		assertThat(this.events.stream().filter(LockEvent.Lost.class::isInstance)).hasSize(1);
		assertThat(told).hasValue(2);
	}

	@Test
	void confirmTellsOfAStolenLeaseBeforeItsRenewal() {
		Lease stolen = this.here.acquire(request().renew(false));
		Lease kept = this.here.acquire(LockRequest.of(this.key + "kept"));
		steal(this.key);
		assertThat(stolen.isHeld()).isTrue();
		this.here.confirm();
		assertThat(stolen.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(stolen::checkHeld)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER));
		kept.checkHeld();
		kept.close();
	}

	@Test
	void doubtOfTheStoreTellsOfAStolenLeaseBeforeItsRenewal() {
		Lease stolen = this.here.acquire(request());
		Lease kept = this.here.acquire(LockRequest.of(this.key + "kept"));
		steal(this.key);
		this.here.engine().doubted();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(stolen::checkHeld)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER));
		kept.checkHeld();
		kept.close();
	}

	/** A lock that was stolen between two renewals was never reported as lost. */
	@Test
	void stolenLeaseThatIsClosedBeforeTheNextRenewalIsTold() {
		Lease lease = this.here.acquire(request());
		steal(this.key);
		Lease next = this.there.acquire(request());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER));
		awaitLoss(LossReason.NOT_OWNER);
		assertThat(next.isHeld()).isTrue();
		assertThat(this.events.stream().filter(LockEvent.Released.class::isInstance)).isEmpty();
	}

	/** After a body that ended as soon as it saw the loss, onLost was never called. */
	@Test
	void lossThatTheBodySeesFirstIsToldAllTheSame() {
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < 20; i++) {
			Lease lease = this.here.acquire(
					LockRequest.of(this.key + i).ttl(Duration.ofMillis(30)).renew(false).whenLost(WhenLost.IGNORE));
			lease.onLost(told::incrementAndGet);
			while (lease.isHeld()) {
				Thread.onSpinWait();
			}
			lease.close();
		}
		await().until(() -> told.get() == 20);
	}

	@Test
	void onLostWhenLostAlreadyIsToldAtOnce() {
		Lease lease = this.here.acquire(request().whenLost(WhenLost.IGNORE));
		stealFromHere(this.key);
		awaitLoss(LossReason.NOT_OWNER);
		CountDownLatch told = new CountDownLatch(1);
		lease.onLost(told::countDown);
		await().until(() -> told.getCount() == 0);
		lease.close();
	}

	@Test
	void stolenLeaseInterruptsItsOwnerAndClearsTheFlag() {
		LockRequest mine = request().ownedByCurrentThread().whenLost(WhenLost.INTERRUPT);
		Lease lease = this.here.acquire(mine);
		stealFromHere(this.key);
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> new CountDownLatch(1).await(20, TimeUnit.SECONDS));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptThatWasNotNoticedIsClearedByClose() {
		Lease lease = this.here.acquire(request().ownedByCurrentThread().whenLost(WhenLost.INTERRUPT));
		stealFromHere(this.key);
		while (!Thread.currentThread().isInterrupted()) {
			Thread.onSpinWait();
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void lostLeaseLetsTheNextLocalWaiterIn() throws Exception {
		Lease lost = this.here.acquire(request().ttl(BRIEF));
		Future<Lease> waiting = this.threads.submit(() -> this.here.acquire(request().waitFor(LONG)));
		steal(this.key);
		assertThat(waiting.get().fencingToken()).isGreaterThan(lost.fencingToken());
	}

	@Test
	void closeTwiceReleasesOnce() {
		Lease lease = this.here.acquire(request());
		lease.close();
		Lease next = this.there.acquire(once());
		lease.close();
		assertThat(lease.release()).isCompleted();
		assertThat(next.isHeld()).isTrue();
		assertThat(this.here.tryAcquire(once())).isEmpty();
		assertThatIllegalStateException().isThrownBy(lease::checkHeld);
		assertThat(lease.remaining()).isZero();
	}

	@Test
	void releaseCompletesWhenTheLockIsFree() throws Exception {
		Lease lease = this.here.acquire(request());
		lease.release().toCompletableFuture().get();
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@Test
	void keepForKeepsTheLockAfterTheRelease() {
		this.here.acquire(request().keepFor(LONG)).close();
		assertThat(this.here.tryAcquire(once())).isEmpty();
		assertThat(this.there.tryAcquire(LockRequest.of(this.key).keepFor(LONG))).isEmpty();
	}

	@Test
	void leaseOfAnEndedThreadIsNotRenewed() throws Exception {
		Thread thread = new Thread(() -> this.here.getLock(this.key).lock(BRIEF));
		thread.start();
		thread.join();
		awaitLoss(LossReason.OWNER_ENDED);
		assertThat(this.there.acquire(request().waitFor(LONG)).isHeld()).isTrue();
	}

	@Test
	void closeEndsWaitingAndRefusesNewRequests() {
		Lease held = this.there.acquire(request());
		CompletableFuture<Lease> waiting = this.here.acquireAsync(request().waitFor(LONG)).toCompletableFuture();
		this.here.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get())
			.withCauseInstanceOf(LockRegistryClosedException.class);
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> this.here.acquire(request()));
		held.close();
	}

	@Test
	void closeWaitsForARunningBody() throws Exception {
		DefaultLockRegistry patient = registry(EngineSettings.DEFAULTS.withShutdownGrace(LONG));
		Lease lease = patient.acquire(request());
		Future<?> closing = this.threads.submit(patient::close);
		await().until(() -> patient.engine().instance.isClosed());
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		closing.get();
		assertThat(this.there.tryAcquire(once())).isPresent();
		assertThat(this.events).noneMatch(LockEvent.Lost.class::isInstance);
	}

	@Test
	void closeTellsABodyThatStillRunsAndLeavesItsLockToRunOut() {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.here.acquire(request());
		lease.onLost(told::incrementAndGet);
		LockRequest brief = LockRequest.of(this.key + "-brief").ttl(BRIEF);
		Lease briefLease = this.here.acquire(brief);
		this.here.close();
		await().until(() -> told.get() == 1);
		assertThat(lease.isHeld()).isFalse();
		assertThat(briefLease.isHeld()).isFalse();
		assertThat(this.there.tryAcquire(once())).isEmpty();
		awaitLoss(LossReason.SHUTDOWN);
		assertThat(this.there.acquire(brief.waitFor(LONG)).isHeld()).isTrue();
	}

}
