package io.distributedlock.test.store;

import java.time.Duration;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.FAIR;
import static io.distributedlock.LockMode.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * Contract of a store with the capability for fair requests. The tests of such a store
 * implement it beside the suite that they extend.
 */
public interface LockStoreFairContract {

	private ThreeInstances on() {
		return (ThreeInstances) this;
	}

	@Test
	default void fairIsAnExclusiveLock() {
		RequestId request = on().first.request();
		AcquireOutcome outcome = on().first.acquire(FAIR, request, ThreeInstances.SHORTER, Duration.ZERO);
		assertThat(on().first.acquire(FAIR, request, ThreeInstances.TTL, Duration.ZERO)).isEqualTo(outcome);
		assertThat(on().second.acquire(FAIR)).isInstanceOf(Busy.class);
		assertThat(on().second.acquire(EXCLUSIVE)).isInstanceOf(Busy.class);
		assertThat(on().first.renew(request, ThreeInstances.TTL)).isTrue();
		assertThat(on().first.release(request)).isTrue();
		assertThat(on().first.acquire(FAIR, request, ThreeInstances.TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(ThreeInstances.token(on().second.acquire(FAIR))).isGreaterThan(ThreeInstances.token(outcome));
	}

	@Test
	default void fairWaitersAreServedInTheOrderInWhichTheyCame() {
		RequestId owner = on().first.take(FAIR);
		RequestId one = on().second.waitFor(FAIR);
		RequestId two = on().third.waitFor(FAIR);
		RequestId three = on().second.waitFor(FAIR);
		on().second.waitAgain(FAIR, one, ThreeInstances.WAITING);
		on().first.release(owner);
		assertThat(on().second.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), one.toString()));
		on().third.waitAgain(FAIR, two, ThreeInstances.WAITING);
		on().second.waitAgain(FAIR, three, ThreeInstances.WAITING);
		on().second.come(FAIR, one);
		on().second.release(one);
		assertThat(on().third.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), two.toString()));
		on().second.waitAgain(FAIR, three, ThreeInstances.WAITING);
		on().third.come(FAIR, two);
		on().third.release(two);
		assertThat(on().second.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), three.toString()));
		on().second.come(FAIR, three);
		on().second.release(three);
		on().assertNoMore(on().third.wakeUps);
	}

	@Test
	default void fairWaiterIsNotOvertaken() {
		RequestId owner = on().first.take(EXCLUSIVE);
		RequestId waiting = on().second.waitFor(FAIR);
		on().first.release(owner);
		assertThat(on().third.acquire(FAIR)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEmpty();
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(ThreeInstances.WAITING);
		});
		assertThat(on().third.acquire(EXCLUSIVE)).isInstanceOf(Busy.class);
		assertThat(on().third.acquire(READ)).isInstanceOf(Busy.class);
		on().second.come(FAIR, waiting);
	}

	@Test
	default void fairWaiterIsWokenBeforeAnExclusiveOne() {
		RequestId owner = on().first.take(EXCLUSIVE);
		on().third.waitFor(EXCLUSIVE);
		RequestId waiting = on().second.waitFor(FAIR);
		on().first.release(owner);
		assertThat(on().second.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), waiting.toString()));
		on().second.come(FAIR, waiting);
		assertThat(on().third.wakeUps).isEmpty();
		on().second.release(waiting);
		assertThat(on().third.awaitWakeUp()).isEqualTo(on().key.encoded());
	}

	@Test
	default void deadFairWaitersEndTogether() {
		RequestId owner = on().first.take(FAIR);
		for (int i = 0; i < 20; i++) {
			on().second.waitFor(FAIR, ThreeInstances.LEASE);
		}
		RequestId alive = on().third.waitFor(FAIR);
		on().first.release(owner);
		// If they ended one after the other, this would take 20 s.
		await().pollInterval(Duration.ofMillis(10))
			.until(() -> on().third.acquire(FAIR, alive, ThreeInstances.TTL,
					ThreeInstances.WAITING) instanceof Granted);
	}

	@Test
	default void fairWaiterThatWasDeadStandsAtTheEnd() {
		RequestId owner = on().first.take(FAIR);
		RequestId dead = on().second.waitFor(FAIR, Duration.ofMillis(1));
		RequestId alive = on().third.waitFor(FAIR);
		on().first.release(owner);
		await().until(
				() -> on().third.acquire(FAIR, alive, ThreeInstances.TTL, ThreeInstances.WAITING) instanceof Granted);
		RequestId later = on().first.waitFor(FAIR);
		on().second.waitAgain(FAIR, dead, ThreeInstances.WAITING);
		on().third.release(alive);
		assertThat(on().first.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), later.toString()));
		on().second.waitAgain(FAIR, dead, ThreeInstances.WAITING);
		on().first.come(FAIR, later);
	}

	@Test
	default void fairWaiterThatGivesUpPassesItsTurnOn() {
		RequestId owner = on().first.take(FAIR);
		RequestId gone = on().second.waitFor(FAIR);
		RequestId next = on().third.waitFor(FAIR);
		on().first.release(owner);
		assertThat(on().second.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), gone.toString()));
		on().second.abandon(gone);
		assertThat(on().third.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), next.toString()));
		on().third.come(FAIR, next);
		assertThat(on().second.acquire(FAIR, gone, ThreeInstances.TTL, ThreeInstances.WAITING))
			.isInstanceOf(Refused.class);
	}

	@Test
	default void fairWaiterThatGivesUpKeepsTheEntryOfItsInstance() {
		RequestId owner = on().first.take(EXCLUSIVE);
		on().second.waitFor(EXCLUSIVE);
		RequestId gone = on().second.waitFor(FAIR);
		on().second.abandon(gone);
		on().first.release(owner);
		assertThat(on().second.awaitWakeUp()).isEqualTo(on().key.encoded());
	}

	/** Thousands of fair waiters attempted once a second each. */
	@Test
	default void signOfLifeKeepsThePlacesOfAllRequestsOfAnInstance() {
		on().within(ThreeInstances.LEASE, () -> {
			RequestId owner = on().first.take(FAIR);
			RequestId one = on().second.standInLine(ThreeInstances.LEASE);
			RequestId two = on().second.standInLine(ThreeInstances.LEASE);
			RequestId other = on().third.waitFor(FAIR);
			long end = System.nanoTime() + ThreeInstances.LEASE.plus(ThreeInstances.SHORT).toNanos();
			await().pollInterval(Duration.ofMillis(10)).until(() -> {
				Busy busy = on().second.standInLine(two, ThreeInstances.LEASE);
				assertThat(busy.next()).isEqualTo(on().second.hasClaims());
				return System.nanoTime() > end;
			});
			on().first.release(owner);
			RequestId next = on().second.hasClaims() ? one : two;
			assertThat(on().second.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), next.toString()));
			on().second.come(FAIR, next);
			on().second.release(next);
			on().third.waitAgain(FAIR, other, ThreeInstances.WAITING);
		});
	}

	/** Its other requests may have given up in vain meanwhile, and came to life again. */
	@Test
	default void signThatComesTooLateKeepsNoPlace() {
		RequestId owner = on().first.take(FAIR);
		RequestId other = on().third.standInLine(ThreeInstances.WAITING);
		on().second.standInLine(ThreeInstances.SHORT);
		RequestId living = on().second.standInLine(ThreeInstances.SHORT);
		long end = System.nanoTime() + ThreeInstances.SHORT.multipliedBy(2).toNanos();
		await().until(() -> System.nanoTime() > end);
		assertThat(on().second.standInLine(living, ThreeInstances.WAITING).next()).isFalse();
		on().first.release(owner);
		on().third.come(FAIR, other);
		on().third.release(other);
		on().second.come(FAIR, living);
	}

	@Test
	default void requestThatDoesNotComeWhenItIsWokenLosesItsPlace() {
		RequestId owner = on().first.take(FAIR);
		RequestId silent = on().second.standInLine(ThreeInstances.LEASE);
		RequestId next = on().third.waitFor(FAIR);
		RequestId last = on().second.standInLine(ThreeInstances.LEASE);
		on().first.release(owner);
		assertThat(on().second.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), silent.toString()));
		await().pollInterval(Duration.ofMillis(10)).until(() -> {
			// The instance lives, and says so.
			on().second.standInLine(last, ThreeInstances.LEASE);
			return on().third.acquire(FAIR, next, ThreeInstances.TTL, ThreeInstances.WAITING) instanceof Granted;
		});
	}

	@Test
	default void fairRequestThatFindsTheLockFreeWakesTheNext() {
		RequestId owner = on().first.take(FAIR);
		on().second.standInLine(ThreeInstances.LEASE);
		RequestId next = on().third.standInLine(ThreeInstances.WAITING);
		RequestId last = on().first.standInLine(ThreeInstances.WAITING);
		on().first.release(owner);
		on().second.awaitWakeUp();
		if (on().third.hasClaims()) {
			await().pollInterval(Duration.ofMillis(10)).until(() -> {
				on().first.standInLine(last, ThreeInstances.WAITING);
				return !on().third.wakeUps.isEmpty();
			});
			assertThat(on().third.awaitWakeUp()).isEqualTo(ThreeInstances.turn(on().key.encoded(), next.toString()));
			// The message may be lost, so its instance is told as well.
			assertThat(on().third.standInLine(on().third.request(), ThreeInstances.WAITING).ahead()).isEqualTo(next);
		}
		await()
			.until(() -> on().third.acquire(FAIR, next, ThreeInstances.TTL, ThreeInstances.WAITING) instanceof Granted);
	}

	@Test
	default void readersThatWaitedComeBeforeAFairWaiter() {
		on().within(LockStoreReadContractTests.PHASE, () -> {
			RequestId owner = on().first.take(FAIR);
			RequestId waiting = on().second.waitFor(FAIR);
			RequestId reader = on().third.waitFor(READ);
			on().first.release(owner);
			assertThat(on().third.awaitWakeUp()).isEqualTo(on().key.encoded());
			on().second.waitAgain(FAIR, waiting, ThreeInstances.WAITING);
			on().third.come(READ, reader);
			on().third.release(reader);
			assertThat(on().second.awaitWakeUp())
				.isEqualTo(ThreeInstances.turn(on().key.encoded(), waiting.toString()));
			on().second.come(FAIR, waiting);
		});
	}

}
