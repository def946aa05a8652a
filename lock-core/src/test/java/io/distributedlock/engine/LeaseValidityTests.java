package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import io.distributedlock.engine.internal.renewal.Renewals;
import io.distributedlock.store.AcquireOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The validity of a lease while answers are late: never more than the store has promised.
 */
class LeaseValidityTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(TTL);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	@Test
	void leaseWhenTheAnswerIsLateCountsFromTheQuestion() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> acquired = this.instance.acquire(REQUEST);
		this.instance.advance(Duration.ofMillis(900));
		attempt.answer();
		assertThat(acquired.join().remaining()).isPositive().isLessThanOrEqualTo(TTL.minusMillis(900));
	}

	@Test
	void leaseWhenTheAnswerIsLateAfterARenewalCountsFromTheQuestion() {
		Lease lease = this.instance.acquire(REQUEST).join();
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.advance(Duration.ofSeconds(10));
		assertThat(renewal.isSent()).isTrue();
		this.instance.advance(Duration.ofMillis(900));
		renewal.answer();
		assertThat(lease.remaining()).isGreaterThan(TTL.minusSeconds(2)).isLessThanOrEqualTo(TTL.minusMillis(900));
	}

	/** A hundredth and two milliseconds less than the store has promised. */
	@Test
	void leaseWhenGivenEndsBeforeTheStoreGivesTheLockAway() {
		assertThat(this.instance.acquire(REQUEST).join().remaining()).isEqualTo(TTL.minusMillis(302));
	}

	@Test
	void leaseWhenNoRenewalIsAnsweredEndsInTime() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.store.silence(Command.RENEW);
		this.instance.clock.advance(TTL);
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void leaseWhenEnteredForAShorterTimeIsRenewedForItsOwn() {
		LockRequest owned = REQUEST.ownedBy("owner");
		Lease lease = this.instance.acquire(owned).join();
		this.instance.acquire(owned.ttl(Duration.ofSeconds(1))).join();
		this.instance.advance(TTL);
		assertThat(lease.remaining()).isGreaterThan(TTL.dividedBy(2));
	}

	/** An attempt for another ttl is not taken over. */
	@Test
	void leaseOfTheNextWaiterHasTheTtlOfItsOwnRequest() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> first = this.instance.acquire(REQUEST.ttl(Duration.ofSeconds(3)));
		CompletableFuture<Lease> second = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		attempt.answer(new AcquireOutcome.Busy("0123456789abcdef", Duration.ofHours(1), 0));
		first.cancel(false);
		this.instance.advance(EngineSettings.DEFAULTS.pollInterval());
		assertThat(second.join().remaining()).isGreaterThan(TTL.dividedBy(2));
	}

	/** A process that was stopped reads the answer when its lease is over. */
	@Test
	void leaseThatExpiredBeforeItsAnswerIsNotDelivered() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> acquired = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		this.instance.clock.advance(TTL);
		attempt.answer();
		assertThat(acquired).isNotDone();
	}

	@Test
	void leaseWhenItWasOverBeforeARenewalIsConfirmedStaysLost() {
		Lease lease = this.instance.acquire(REQUEST).join();
		Held renewal = this.store.hold(Command.RENEW);
		this.instance.advance(Duration.ofSeconds(10));
		assertThat(renewal.isSent()).isTrue();
		this.instance.clock.advance(Duration.ofMillis(19_800));
		renewal.answer();
		assertThat(lease.isHeld()).isFalse();
	}

	/** Its holder is done before anything else can happen to it. */
	@Test
	void leaseWhenReleasedOnItsWayOutIsNeverRenewed() {
		Held attempt = this.store.hold(Command.ACQUIRE);
		this.instance.acquire(REQUEST).thenAccept(Lease::release);
		attempt.answer();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
		this.instance.advance(TTL);
		assertThat(this.store.sent(Command.RENEW)).isZero();
	}

	@Test
	void leasesWhenMoreThanOneCommandTakesAreAllRenewedAtTheirTime() {
		List<Lease> leases = acquire(Renewals.BATCH_SIZE + 1);
		this.instance.advance(TTL.dividedBy(3));
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(2);
		assertThat(leases).allMatch((lease) -> lease.remaining().compareTo(TTL.minusSeconds(1)) > 0);
	}

	@Test
	void leaseWhenAnotherOfItsBatchIsLostStaysHeld() {
		List<Lease> leases = acquire(3);
		this.store.locks().remove("", "k1");
		this.instance.advance(TTL.dividedBy(3));
		assertThat(leases).extracting(Lease::isHeld).containsExactly(true, false, true);
	}

	private List<Lease> acquire(int count) {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			leases.add(this.instance.acquire(LockRequest.of("k" + i).ttl(TTL)).join());
		}
		return leases;
	}

	@Test
	void lossThatTheEngineHasToldIsNotToldAgainByTheHolder() {
		Lease lease = this.instance.acquire(REQUEST.renew(false)).join();
		AtomicInteger told = new AtomicInteger();
		lease.onLost(told::incrementAndGet);
		this.instance.advance(TTL);
		assertThat(told).hasValue(1);
		assertThat(lease.release().toCompletableFuture()).isCompletedExceptionally();
		assertThat(told).hasValue(1);
	}

	/** The late report of the loss of a lease does not concern the lease that follows. */
	@Test
	void leaseWhenTheEarlierLossIsReportedLateIsEnteredAgain() {
		this.instance.acquire(REQUEST.renew(false)).join();
		this.instance.clock.advance(TTL);
		Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> next = this.instance.acquire(REQUEST.ownedBy("owner"));
		attempt.answer();
		this.instance.runDue();
		CompletableFuture<Lease> again = this.instance.acquire(REQUEST.ownedBy("owner"));
		assertThat(again).isCompleted();
		assertThat(again.join().fencingToken()).isEqualTo(next.join().fencingToken());
		assertThat(this.store.sent(Command.ACQUIRE)).as("for the first lease and the second").isEqualTo(2);
	}

	@Test
	void leaseWhenTheStoreIsBackIsRenewedAtOnce() {
		this.instance.acquire(REQUEST);
		this.store.wakeUpAll();
		this.instance.runDue();
		assertThat(this.store.sent(Command.RENEW)).isOne();
	}

	@Test
	void tokenWhenSeenIsRememberedForAStoreThatForgets() {
		Lease lease = this.instance.acquire(REQUEST).join();
		assertThat(this.instance.engine.instance.highestToken()).isEqualTo(lease.fencingToken());
	}

}
