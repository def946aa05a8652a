package io.distributedlock.test.store;

import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store for waiter entries with a claim: a release gives the lock to
 * the request of the entry. A store without
 * {@link io.distributedlock.store.StoreCapability#CLAIMS} wakes the waiter.
 *
 * @since 0.1.0
 */
public abstract class LockStoreClaimContractTests extends LockStoreContractTests {

	private static final Duration CLAIM = Duration.ofSeconds(8);

	private static final Duration BRIEF = Duration.ofMillis(200);

	private static final Duration KEPT = Duration.ofSeconds(20);

	@Test
	void releaseGivesTheLockToTheFirstWaiterWithAClaim() {
		within(CLAIM, () -> {
			RequestId owner = request();
			long before = token(this.first.acquire(owner, TTL));
			awaitTaken(this.key.encoded(), owner);
			RequestId waiter = this.second.waitToBeGiven(this.second.request(), CLAIM);
			this.third.waitToBeGiven(this.third.request(), CLAIM);
			this.first.release(owner);
			if (!this.second.hasClaims()) {
				assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
				return;
			}
			String message = this.second.awaitWakeUp();
			assertThat(this.third.remaining()).isPositive().isLessThanOrEqualTo(CLAIM);
			long token = token(this.second.acquire(waiter, TTL));
			assertThat(token).isGreaterThan(before);
			assertThat(message).isEqualTo(claim(this.key.encoded(), waiter, token));
			assertThat(this.third.wakeUps).isEmpty();
			assertThat(this.third.remaining()).isGreaterThan(CLAIM);
		});
	}

	@Test
	void claimIsRenewedAndReleasedAsALeaseIs() {
		within(CLAIM, () -> {
			RequestId waiter = giveTheLock();
			if (this.second.hasClaims()) {
				assertThat(this.second.renew(waiter, TTL)).isTrue();
				assertThat(this.third.remaining()).isGreaterThan(CLAIM);
				assertThat(this.second.release(waiter)).isTrue();
				assertThat(this.second.acquire(waiter, TTL)).isInstanceOf(Refused.class);
			}
			assertThat(this.third.acquire(TTL)).isInstanceOf(Granted.class);
		});
	}

	@Test
	void claimThatIsNotRenewedEnds() {
		RequestId owner = this.first.take(LockMode.EXCLUSIVE);
		RequestId waiter = this.second.waitToBeGiven(this.second.request(), BRIEF);
		this.first.release(owner);
		this.second.awaitWakeUp();
		awaitFree();
		long token = token(this.third.acquire(TTL));
		assertThat(token).isPositive();
		if (this.second.hasClaims()) {
			assertThat(this.second.renew(waiter, TTL)).isFalse();
			assertThat(this.second.acquire(waiter, TTL)).isInstanceOf(Refused.class);
		}
	}

	@Test
	void abandonedClaimGoesToTheNextWaiter() {
		within(CLAIM, () -> {
			RequestId owner = this.first.take(LockMode.EXCLUSIVE);
			RequestId waiter = this.second.waitToBeGiven(this.second.request(), CLAIM);
			RequestId next = this.third.waitToBeGiven(this.third.request(), CLAIM);
			this.first.release(owner);
			this.second.awaitWakeUp();
			this.second.abandon(waiter);
			assertThat(this.third.awaitWakeUp()).startsWith(this.key.encoded());
			assertThat(this.third.acquire(next, TTL)).isInstanceOf(Granted.class);
			assertThat(this.second.acquire(waiter, TTL)).isInstanceOf(Refused.class);
		});
	}

	@Test
	void abandonedWaiterIsNotGivenTheLock() {
		RequestId owner = this.first.take(LockMode.EXCLUSIVE);
		this.second.abandon(this.second.waitToBeGiven(this.second.request(), CLAIM));
		this.first.release(owner);
		assertThat(this.third.acquire(TTL)).isInstanceOf(Granted.class);
		assertThat(this.second.wakeUps).isEmpty();
	}

	@Test
	void releaseThatGaveTheLockIsASuccessWhenRepeated() {
		within(CLAIM, () -> {
			RequestId owner = this.first.take(LockMode.EXCLUSIVE);
			this.second.waitToBeGiven(this.second.request(), CLAIM);
			assertThat(this.first.release(owner)).isTrue();
			assertThat(this.first.release(owner)).isTrue();
			assertThat(this.first.acquire(owner, TTL)).isInstanceOf(Refused.class);
			assertThat(this.first.acquire(TTL)).isInstanceOf(this.second.hasClaims() ? Busy.class : Granted.class);
		});
	}

	/**
	 * The next waiter attempts seldom. Other waiters notice its death only by their own
	 * attempts.
	 */
	@Test
	void atMostTheFirstWaiterWithAClaimIsNext() {
		this.first.take(LockMode.EXCLUSIVE);
		RequestId waiter = this.second.waitToBeGiven(this.second.request(), CLAIM);
		RequestId behind = this.third.waitToBeGiven(this.third.request(), CLAIM);
		assertThat(this.second.isNext(waiter, Duration.ZERO)).isFalse();
		this.second.isNext(waiter, CLAIM);
		assertThat(this.third.isNext(behind, CLAIM)).isFalse();
		this.third.abandon(behind);
		if (!this.second.hasClaims()) {
			assertThat(this.second.isNext(waiter, CLAIM)).isFalse();
		}
	}

	@Test
	void lockThatIsToBeKeptIsKeptFromTheConfirmingAttemptOn() {
		within(CLAIM, () -> {
			RequestId owner = this.first.take(LockMode.EXCLUSIVE);
			RequestId waiter = this.second.waitToBeGiven(this.second.request(), CLAIM, KEPT);
			this.first.release(owner);
			if (this.second.hasClaims()) {
				this.second.awaitWakeUp();
			}
			assertThat(this.second.acquireKept(waiter, TTL, KEPT)).isInstanceOf(Granted.class);
			assertThat(this.second.release(waiter)).isTrue();
			assertThat(this.third.remaining()).isGreaterThan(CLAIM).isLessThanOrEqualTo(KEPT);
		});
	}

	@Test
	void waiterThatIsGivenALockToBeKeptAndDiesKeepsNothing() {
		RequestId owner = this.first.take(LockMode.EXCLUSIVE);
		this.second.waitToBeGiven(this.second.request(), BRIEF, KEPT);
		this.first.release(owner);
		awaitFree();
		assertThat(this.third.acquire(TTL)).isInstanceOf(Granted.class);
	}

	private RequestId giveTheLock() {
		RequestId owner = this.first.take(LockMode.EXCLUSIVE);
		RequestId waiter = this.second.waitToBeGiven(this.second.request(), CLAIM);
		this.first.release(owner);
		this.second.awaitWakeUp();
		return waiter;
	}

	private RequestId request() {
		return this.first.request();
	}

}
