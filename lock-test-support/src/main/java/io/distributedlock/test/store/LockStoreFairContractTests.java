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
import static org.awaitility.Awaitility.await;

/**
 * What every store promises to fair requests.
 */
public abstract class LockStoreFairContractTests extends LockStoreReadContractTests {

	@Test
	void fairIsAnExclusiveLock() {
		RequestId request = this.first.request();
		AcquireOutcome outcome = this.first.acquire(FAIR, request, SHORTER, Duration.ZERO);
		assertThat(this.first.acquire(FAIR, request, TTL, Duration.ZERO)).isEqualTo(outcome);
		assertThat(this.second.acquire(FAIR)).isInstanceOf(Busy.class);
		assertThat(this.second.acquire(EXCLUSIVE)).isInstanceOf(Busy.class);
		assertThat(this.first.renew(request, TTL)).isTrue();
		assertThat(this.first.release(request)).isTrue();
		assertThat(this.first.acquire(FAIR, request, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(token(this.second.acquire(FAIR))).isGreaterThan(token(outcome));
	}

	@Test
	void fairWaitersAreServedInTheOrderInWhichTheyCame() {
		RequestId owner = this.first.take(FAIR);
		RequestId one = this.second.waitFor(FAIR);
		RequestId two = this.third.waitFor(FAIR);
		RequestId three = this.second.waitFor(FAIR);
		this.second.waitAgain(FAIR, one, WAITING);
		this.first.release(owner);
		assertThat(this.second.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), one.toString()));
		this.third.waitAgain(FAIR, two, WAITING);
		this.second.waitAgain(FAIR, three, WAITING);
		this.second.come(FAIR, one);
		this.second.release(one);
		assertThat(this.third.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), two.toString()));
		this.second.waitAgain(FAIR, three, WAITING);
		this.third.come(FAIR, two);
		this.third.release(two);
		assertThat(this.second.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), three.toString()));
		this.second.come(FAIR, three);
		this.second.release(three);
		assertNoMore(this.third.wakeUps);
	}

	@Test
	void nobodyOvertakesAFairWaiter() {
		RequestId owner = this.first.take(EXCLUSIVE);
		RequestId waiting = this.second.waitFor(FAIR);
		this.first.release(owner);
		assertThat(this.third.acquire(FAIR)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).isEmpty();
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(WAITING);
		});
		assertThat(this.third.acquire(EXCLUSIVE)).isInstanceOf(Busy.class);
		assertThat(this.third.acquire(READ)).isInstanceOf(Busy.class);
		this.second.come(FAIR, waiting);
	}

	@Test
	void fairWaiterIsWokenBeforeAnExclusiveOne() {
		RequestId owner = this.first.take(EXCLUSIVE);
		this.third.waitFor(EXCLUSIVE);
		RequestId waiting = this.second.waitFor(FAIR);
		this.first.release(owner);
		assertThat(this.second.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), waiting.toString()));
		this.second.come(FAIR, waiting);
		assertThat(this.third.wakeUps).isEmpty();
		this.second.release(waiting);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void deadFairWaitersEndTogether() {
		RequestId owner = this.first.take(FAIR);
		for (int i = 0; i < 20; i++) {
			this.second.waitFor(FAIR, LEASE);
		}
		RequestId alive = this.third.waitFor(FAIR);
		this.first.release(owner);
		// One after the other they would take 20 s.
		await().atMost(Duration.ofSeconds(10))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.third.acquire(FAIR, alive, TTL, WAITING) instanceof Granted);
	}

	@Test
	void fairWaiterThatWasDeadStandsAtTheEnd() {
		RequestId owner = this.first.take(FAIR);
		RequestId dead = this.second.waitFor(FAIR, Duration.ofMillis(1));
		RequestId alive = this.third.waitFor(FAIR);
		this.first.release(owner);
		await().pollInterval(Duration.ofMillis(10))
			.until(() -> this.third.acquire(FAIR, alive, TTL, WAITING) instanceof Granted);
		RequestId later = this.first.waitFor(FAIR);
		this.second.waitAgain(FAIR, dead, WAITING);
		this.third.release(alive);
		assertThat(this.first.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), later.toString()));
		this.second.waitAgain(FAIR, dead, WAITING);
		this.first.come(FAIR, later);
	}

	@Test
	void fairWaiterThatGivesUpPassesItsTurnOn() {
		RequestId owner = this.first.take(FAIR);
		RequestId gone = this.second.waitFor(FAIR);
		RequestId next = this.third.waitFor(FAIR);
		this.first.release(owner);
		assertThat(this.second.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), gone.toString()));
		this.second.abandon(gone);
		assertThat(this.third.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), next.toString()));
		this.third.come(FAIR, next);
		assertThat(this.second.acquire(FAIR, gone, TTL, WAITING)).isInstanceOf(Refused.class);
	}

	@Test
	void fairWaiterThatGivesUpLeavesTheWordOfItsInstance() {
		RequestId owner = this.first.take(EXCLUSIVE);
		this.second.waitFor(EXCLUSIVE);
		RequestId gone = this.second.waitFor(FAIR);
		this.second.abandon(gone);
		this.first.release(owner);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void readersThatWaitedComeBeforeAFairWaiter() {
		within(PHASE, () -> {
			RequestId owner = this.first.take(FAIR);
			RequestId waiting = this.second.waitFor(FAIR);
			RequestId reader = this.third.waitFor(READ);
			this.first.release(owner);
			assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
			this.second.waitAgain(FAIR, waiting, WAITING);
			this.third.come(READ, reader);
			this.third.release(reader);
			assertThat(this.second.awaitWakeUp()).isEqualTo(turn(this.key.encoded(), waiting.toString()));
			this.second.come(FAIR, waiting);
		});
	}

}
