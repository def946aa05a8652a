package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.Ownership;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A machine that was suspended: the monotonic clock has stood still, and only the wall
 * clock knows. That was believed to the end of the lease, while others held the lock.
 */
class ClockWatchSuspensionTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	private static final Duration NIGHT = Duration.ofHours(8);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(TTL).ownedBy("owner");

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void leaseAfterASuspensionIsInDoubtUntilTheStoreHasConfirmedIt() {
		Lease lease = this.instance.acquire(REQUEST).join();
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.clock.suspend(NIGHT);
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.isLost()).isFalse();
		assertThat(lease.remaining()).isZero();
		this.instance.runDue();
		assertThat(renewal.isSent()).isTrue();
		assertThat(lease.isHeld()).isFalse();
		renewal.answer();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.remaining()).isGreaterThan(TTL.minusSeconds(1));
		assertThat(this.instance.events).noneMatch(LockEvent.Lost.class::isInstance);
	}

	/** It stayed in doubt up to its next renewal. */
	@Test
	void leaseIsConfirmedThoughTheStoreCannotTakeAnotherIdentity() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.store.refuseToStart();
		this.instance.clock.suspend(NIGHT);
		assertThat(lease.isHeld()).isFalse();
		this.instance.runDue();
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void leaseThatTheStoreDoesNotConfirmIsLost() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.store.locks().remove("", "k");
		this.instance.clock.suspend(NIGHT);
		assertThat(lease.isHeld()).isFalse();
		this.instance.runDue();
		assertThat(lease.isLost()).isTrue();
		this.instance.runDue();
		assertThat(losses()).containsExactly(LossReason.NOT_OWNER);
	}

	@Test
	void leaseThatRanOutDuringASuspensionIsToldAsExpired() {
		Lease lease = this.instance.acquire(REQUEST).join();
		Held confirmation = this.store.hold(Command.RENEW);
		this.instance.clock.suspend(NIGHT);
		assertThat(lease.isHeld()).isFalse();
		this.instance.runDue();
		confirmation.answer(List.of(Ownership.EXPIRED));
		this.instance.runDue();
		assertThat(losses()).containsExactly(LossReason.EXPIRED);
	}

	/** Its body may have run during the suspension. */
	@Test
	void releaseAfterASuspensionIsALossIfTheLeaseHasRunOut() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.store.withCommandTimeout(Duration.ofHours(1));
		Held release = this.store.hold(Command.RELEASE);
		this.instance.clock.suspend(NIGHT);
		CompletableFuture<Void> released = lease.release().toCompletableFuture();
		this.instance.clock.advance(TTL);
		release.answer(Ownership.EXPIRED);
		assertThat(released).isCompletedExceptionally();
		this.instance.runDue();
		assertThat(losses()).containsExactly(LossReason.EXPIRED);
	}

	private List<LossReason> losses() {
		return this.instance.events.stream()
			.filter(LockEvent.Lost.class::isInstance)
			.map((event) -> ((LockEvent.Lost) event).reason())
			.toList();
	}

	@Test
	void checkOfALeaseInDoubtAsksTheStore() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.instance.clock.suspend(NIGHT);
		lease.checkHeld();
		assertThat(lease.isHeld()).isTrue();
		this.instance.clock.suspend(NIGHT);
		this.store.locks().remove("", "k");
		assertThatThrownBy(lease::checkHeld).isInstanceOf(LockLostException.class)
			.hasMessageContaining(LossReason.NOT_OWNER.description());
	}

	@Test
	void checkOfALeaseInDoubtFailsIfTheStoreIsAway() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.instance.clock.suspend(NIGHT);
		this.store.failAll(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
		assertThatThrownBy(lease::checkHeld).isInstanceOf(LockLostException.class)
			.hasMessageContaining(LossReason.UNCONFIRMED.description());
		assertThat(lease.isLost()).isFalse();
	}

	/** Neither the store nor the holder counts more than the ttl that was asked for. */
	@Test
	void leaseThatIsNotRenewedIsConfirmedAndNotProlonged() {
		Lease lease = this.instance.acquire(REQUEST.renew(false)).join();
		this.instance.advance(Duration.ofSeconds(5));
		Duration left = lease.remaining();
		this.instance.clock.suspend(NIGHT);
		assertThat(lease.isHeld()).isFalse();
		this.instance.runDue();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.remaining()).isBetween(left.minusMillis(1), left);
		this.instance.advance(left);
		assertThat(lease.isLost()).isTrue();
		this.instance.advance(TTL.minusSeconds(5).minus(left));
		assertThat(this.store.isLocked("k")).isFalse();
	}

	/** An answer that was on its way does not know of events after it was sent. */
	@Test
	void renewalThatWasSentBeforeASuspensionConfirmsNothing() {
		Lease lease = this.instance.acquire(REQUEST).join();
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.advance(TTL.dividedBy(3));
		this.instance.clock.suspend(NIGHT);
		Held confirmation = this.store.hold(Command.RENEW);
		renewal.answer();
		assertThat(lease.isHeld()).isFalse();
		this.instance.runDue();
		confirmation.answer();
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void lockThatWasOnItsWayDuringASuspensionIsAskedForAnew() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> acquired = this.instance.acquire(REQUEST);
		this.instance.clock.suspend(NIGHT);
		attempt.answer();
		assertThat(this.store.sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(this.store.sent(Command.ABANDON)).isOne();
		assertThat(acquired.join().isHeld()).isTrue();
	}

	@Test
	void ownerWhoEntersAgainInDoubtIsLetInWhenTheStoreHasConfirmed() {
		this.instance.acquire(REQUEST).join();
		this.instance.clock.suspend(NIGHT);
		Held confirmation = this.store.hold(Command.RENEW);
		CompletableFuture<Lease> again = this.instance.acquire(REQUEST);
		assertThat(again).isNotDone();
		confirmation.answer();
		assertThat(again.join().isHeld()).isTrue();
	}

	@Test
	void waiterIsServedAfterASuspension() {
		Lease other = this.instance.another().acquire(LockRequest.of("k").ttl(TTL)).join();
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		this.instance.clock.suspend(NIGHT);
		this.instance.advance(Duration.ofSeconds(1));
		other.close();
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(waiting.join().isHeld()).isTrue();
	}

	@Test
	void clockThatIsSetBackOrSlewedRaisesNoDoubt() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.instance.clock.suspend(NIGHT.negated());
		assertThat(lease.isHeld()).isTrue();
		for (int i = 0; i < 1000; i++) {
			this.instance.advance(Duration.ofSeconds(1));
			this.instance.clock.suspend(Duration.ofNanos(500_000));
			assertThat(lease.isHeld()).isTrue();
		}
		this.instance.clock.suspend(Duration.ofMillis(3));
		assertThat(lease.isHeld()).isFalse();
	}

	/**
	 * A late answer to a renewal extended the lease as if the machine had not slept.
	 */
	@Test
	void lateAnswerOfBeforeASuspensionProlongsNothing() {
		Lease lease = this.instance.acquire(REQUEST.maxHold(Duration.ofMillis(3200))).join();
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.advance(Duration.ofMillis(3300));
		assertThat(renewal.isSent()).isTrue();
		this.instance.clock.suspend(NIGHT);
		assertThat(lease.isHeld()).isFalse();
		this.instance.runDue();
		assertThat(lease.isHeld()).isTrue();
		Duration confirmed = lease.remaining();
		renewal.answer();
		assertThat(lease.remaining()).isLessThanOrEqualTo(confirmed);
	}

	@Test
	void ownerWhoEntersAgainInDoubtProlongsNothing() {
		LockRequest request = REQUEST.renew(false);
		Lease lease = this.instance.acquire(request).join();
		this.instance.advance(Duration.ofSeconds(5));
		Duration left = lease.remaining();
		this.instance.clock.suspend(NIGHT);
		assertThat(this.instance.acquire(request).join().isHeld()).isTrue();
		assertThat(lease.remaining()).isLessThanOrEqualTo(left);
	}

	/** The timer of the grant was set for later after doubt had set it for at once. */
	@Test
	void leaseIsConfirmedAtOnceWheneverTheClockJumpsWhileItIsGiven() {
		int reading = 1;
		for (ManualInstance each = new ManualInstance();; each = new ManualInstance(), reading++) {
			ManualInstance current = each;
			current.clock.onReading(reading, () -> jump(current));
			Lease lease = current.acquire(REQUEST.renew(false)).join();
			if (current.clock.unhook()) {
				break;
			}
			lease.isHeld();
			current.runDue();
			assertThat(lease.isHeld()).as("jump at reading %d", reading).isTrue();
		}
		assertThat(reading).isGreaterThan(3);
	}

	@Test
	void leaseIsConfirmedAtOnceWheneverTheClockJumpsWhileItIsRenewed() {
		int reading = 1;
		for (ManualInstance each = new ManualInstance();; each = new ManualInstance(), reading++) {
			ManualInstance current = each;
			Lease lease = current.acquire(REQUEST).join();
			Held renewal = current.store.hold(Command.RENEW);
			current.advance(TTL.dividedBy(3));
			current.clock.onReading(reading, () -> jump(current));
			renewal.answer();
			if (current.clock.unhook()) {
				break;
			}
			lease.isHeld();
			current.runDue();
			assertThat(lease.isHeld()).as("jump at reading %d", reading).isTrue();
		}
		assertThat(reading).isGreaterThan(2);
	}

	/** Another thread notices, and the loop has come to the queue before this goes on. */
	private static void jump(ManualInstance instance) {
		Engine engine = instance.engine;
		instance.clock.suspend(NIGHT);
		engine.instance.now();
		if (engine.queues.index.all().stream().noneMatch(Thread::holdsLock)) {
			engine.instance.timers.cancel(engine);
			engine.fire(instance.clock.quietly());
		}
	}

}
