package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.engine.internal.renewal.Renewals;
import io.distributedlock.event.LockEvent;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** When the store is asked whether a lock is still held, and which answer counts. */
class GrantAskTests {

	private static final LockKey KEY = new LockKey("", "k");

	private static final LockRequest REQUEST = LockRequest.of("k")
		.ttl(Duration.ofMinutes(10))
		.renew(false)
		.waitFor(Duration.ofHours(1));

	/** The pause of an instance that hears wake-ups, without jitter. */
	private static final Duration ASK_PAUSE = EngineSettings.DEFAULTS.pollInterval().multipliedBy(4);

	private ManualInstance here = new ManualInstance();

	private Lease acquire() {
		return this.here.acquire(REQUEST).join();
	}

	/** The key is deleted, and this instance does not hear of it. */
	private void delete() {
		this.here.store.locks().remove("", "k");
	}

	/** An operator takes the lock away, and this instance hears of it. */
	private void takeAway() {
		assertThat(new MemoryLockStore(this.here.store.locks()).forceRelease(new ForceReleaseCommand(KEY, null)))
			.isCompletedWithValue(1);
		this.here.runDue();
	}

	private int asked() {
		return this.here.store.sent(Command.RENEW);
	}

	/** Each pause has a jitter of its own, and each lease was a command of its own. */
	@Test
	void leasesThatAreAskedForTogetherAreSentTogether() {
		this.here.store.withCommandTimeout(Duration.ofSeconds(5));
		AtomicLong drawn = new AtomicLong();
		this.here.jitter = (nanos) -> nanos - drawn.incrementAndGet();
		for (int i = 0; i < 1_000; i++) {
			this.here.acquire(LockRequest.of("k" + i).ttl(Duration.ofMinutes(1)).renew(false)).join();
		}
		this.here.advance(Duration.ofMillis(1));
		this.here.store.wakeUpAll();
		this.here.runDue();
		assertThat(asked()).isLessThan(1_000 / Renewals.BATCH_SIZE + 5);
	}

	@Test
	void holderWithoutWaitersIsNotAskedFor() {
		acquire();
		this.here.advance(Duration.ofMinutes(1));
		assertThat(asked()).isZero();
	}

	@Test
	void holderIsAskedForWhileCallersWaitBehindIt() {
		acquire();
		CompletableFuture<Lease> waiter = this.here.acquire(REQUEST);
		this.here.acquire(REQUEST);
		this.here.advance(ASK_PAUSE.multipliedBy(3));
		assertThat(asked()).isEqualTo(3);
		delete();
		this.here.advance(ASK_PAUSE);
		assertThat(waiter).isCompleted();
	}

	@Test
	void holderIsAskedForSoonerWhereNoMessagesCome() {
		this.here = ManualInstance.offering();
		acquire();
		CompletableFuture<Lease> waiter = this.here.acquire(REQUEST);
		delete();
		this.here.advance(EngineSettings.DEFAULTS.pollInterval().plusMillis(50));
		assertThat(waiter).isCompleted();
	}

	@Test
	void holderIsAskedForNoMoreWhenItsWaitersHaveLeft() {
		acquire();
		this.here.acquire(REQUEST).cancel(false);
		this.here.advance(Duration.ofMinutes(1));
		assertThat(asked()).isLessThanOrEqualTo(1);
	}

	/** A renewal that is due before must not come later. */
	@Test
	void renewalIsNotPutOffByAWaiter() {
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(3)).renew(true)).join();
		this.here.acquire(REQUEST);
		this.here.advance(Duration.ofSeconds(30));
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void leaseThatIsNotRenewedIsAskedForWhenMessagesMayHaveBeenMissed() {
		Lease lease = acquire();
		delete();
		this.here.store.wakeUpAll();
		this.here.runDue();
		assertThat(lease.isLost()).isTrue();
	}

	/** It was believed until the next renewal, or for the whole lease. */
	@Test
	void lockThatIsTakenAwayBeforeItsAnswerIsLost() {
		Held attempt = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> acquired = this.here.acquire(REQUEST);
		AcquireOutcome granted = new MemoryLockStore(this.here.store.locks()).acquire(this.here.store.asked().get(0))
			.join();
		this.here.advance(Duration.ofMillis(1));
		takeAway();
		attempt.answer(granted);
		this.here.runDue();
		assertThat(acquired.join().isLost()).isTrue();
	}

	@Test
	void answerToWhatWasAskedBeforeDoesNotCount() {
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(30)).renew(true)).join();
		Held renewal = this.here.store.hold(Command.RENEW);
		this.here.advance(Duration.ofSeconds(10));
		assertThat(renewal.isSent()).isTrue();
		Held lost = this.here.store.hold(Command.RENEW);
		takeAway();
		assertThat(lost.isSent()).isTrue();
		renewal.answer(List.of(Ownership.HELD));
		assertThat(lease.isLost()).isFalse();
		lost.answer();
		this.here.runDue();
		assertThat(lease.isLost()).isTrue();
	}

	@Test
	void lockThatMayHaveBeenTakenAwayIsNotHandedOn() {
		Lease before = acquire();
		CompletableFuture<Lease> first = this.here.acquire(REQUEST);
		CompletableFuture<Lease> second = this.here.acquire(REQUEST);
		before.close();
		int releases = this.here.store.sent(Command.RELEASE);
		this.here.store.silence(Command.RENEW);
		takeAway();
		assertThat(first.join().release()).isCompletedExceptionally();
		assertThat(this.here.store.sent(Command.RELEASE)).isEqualTo(releases + 1);
		this.here.runDue();
		assertThat(second).isCompleted();
	}

	/** The lease does not depend on the answer, so its holder need not worry. */
	@Test
	void failureToAskForALeaseThatIsNotRenewedIsNoDanger() {
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(20))).join();
		this.here.acquire(REQUEST);
		this.here.store.failAll(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
		this.here.advance(Duration.ofSeconds(18));
		assertThat(asked()).isPositive();
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.here.events).noneMatch((event) -> event instanceof LockEvent.RenewalFailed);
	}

	@Test
	void storeIsAskedAgainWhenItHasNotAnswered() {
		Lease lease = acquire();
		this.here.store.fail(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
		takeAway();
		assertThat(lease.isLost()).isFalse();
		this.here.advance(ASK_PAUSE);
		assertThat(lease.isLost()).isTrue();
	}

	@Test
	void readerIsAskedForWhenAWriterOfItsInstanceHasTheLock() {
		this.here = ManualInstance.offering(StoreCapability.READ);
		Lease reader = this.here.acquire(REQUEST.mode(LockMode.READ)).join();
		delete();
		Lease writer = this.here.acquire(REQUEST).join();
		this.here.runDue();
		assertThat(reader.isLost()).isTrue();
		assertThat(writer.isHeld()).isTrue();
	}

}
