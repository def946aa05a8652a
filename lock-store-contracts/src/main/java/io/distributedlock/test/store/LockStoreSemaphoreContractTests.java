package io.distributedlock.test.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.RequestId;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.LockMode.SEMAPHORE;
import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * Contract of every store for semaphores, with all suites for one lock: that of a store
 * without a monitor.
 */
public abstract class LockStoreSemaphoreContractTests extends LockStoreReadContractTests {

	@Test
	void permitsAreGivenUntilNoneIsLeft() {
		this.first.take(SEMAPHORE);
		this.second.take(SEMAPHORE, TTL.dividedBy(2));
		this.first.take(SEMAPHORE);
		assertThat(this.third.acquire(SEMAPHORE)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.holder()).as("whose lease ends first").isEqualTo(this.second.name());
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(TTL.dividedBy(2));
		});
	}

	@Test
	void permitThatIsReleasedIsGivenOnceMore() {
		List<RequestId> permits = takeAll();
		assertThat(this.first.release(permits.get(1))).isTrue();
		this.second.take(SEMAPHORE);
		assertThat(this.first.release(permits.get(1))).as("it was released, by itself").isTrue();
		assertThat(this.third.acquire(SEMAPHORE)).isInstanceOf(Busy.class);
		this.first.abandon(permits.get(0));
		this.third.take(SEMAPHORE);
		assertThat(this.third.acquire(SEMAPHORE)).isInstanceOf(Busy.class);
	}

	@Test
	void permitsHaveTheirOwnLeases() {
		RequestId dead = this.first.takeBriefly(SEMAPHORE);
		RequestId renewed = this.first.take(SEMAPHORE, SHORTER);
		this.first.take(SEMAPHORE);
		assertThat(this.first.renew(renewed, TTL)).isTrue();
		await().until(() -> this.second.acquire(SEMAPHORE) instanceof Granted);
		assertThat(this.second.acquire(SEMAPHORE)).isInstanceOf(Busy.class);
		assertThat(this.first.renew(dead, TTL)).isFalse();
		assertThat(this.first.release(dead)).isFalse();
		assertThat(this.first.acquire(SEMAPHORE, dead, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(this.first.renew(renewed, TTL)).isTrue();
	}

	@Test
	void permitWhenRepeatedKeepsItsTokenAndTakesNoOther() {
		RequestId request = this.first.request();
		AcquireOutcome outcome = this.first.acquire(SEMAPHORE, request, TTL, Duration.ZERO);
		long later = token(this.second.acquire(SEMAPHORE));
		assertThat(later).isGreaterThan(token(outcome));
		assertThat(this.first.acquire(SEMAPHORE, request, TTL, Duration.ZERO)).isEqualTo(outcome);
		assertThat(token(this.third.acquire(SEMAPHORE))).isGreaterThan(later);
		assertThat(this.first.acquire(SEMAPHORE, request, TTL, Duration.ZERO)).isEqualTo(outcome);
	}

	@Test
	void permitWhenAbandonedBeforeItArrivesIsRefused() {
		RequestId request = this.first.request();
		this.first.abandon(request);
		assertThat(this.first.acquire(SEMAPHORE, request, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		takeAll();
	}

	@Test
	void permitWhenReleasedBeforeIsRefusedAlsoAfterManyOthers() {
		RequestId request = this.first.take(SEMAPHORE);
		this.first.release(request);
		for (int i = 0; i < 100; i++) {
			this.second.release(this.second.take(SEMAPHORE));
		}
		assertThat(this.first.acquire(SEMAPHORE, request, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
	}

	@Test
	void releaseOfAPermitWakesOneWaiter() {
		List<RequestId> permits = takeAll();
		RequestId one = this.second.waitFor(SEMAPHORE);
		RequestId other = this.third.waitFor(SEMAPHORE);
		this.first.release(permits.get(0));
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		this.second.come(SEMAPHORE, one);
		assertThat(this.third.wakeUps).isEmpty();
		this.first.release(permits.get(1));
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
		this.third.come(SEMAPHORE, other);
	}

	@Test
	void wokenWaiterForAPermitThatIsAbandonedWakesTheNext() {
		List<RequestId> permits = takeAll();
		RequestId gone = this.second.waitFor(SEMAPHORE);
		this.third.waitFor(SEMAPHORE);
		this.first.release(permits.get(0));
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.key.encoded());
		this.second.abandon(gone);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.key.encoded());
	}

	@Test
	void abandonedWaiterForAPermitSendsNoWakeUpWhileNoneIsLeft() {
		takeAll();
		RequestId gone = this.second.waitFor(SEMAPHORE);
		this.third.waitFor(SEMAPHORE);
		this.second.abandon(gone);
		this.third.waitFor(SEMAPHORE);
		assertThat(this.third.wakeUps).isEmpty();
	}

	@Test
	void anotherNumberOfPermitsIsMisconfiguredWhileAnyIsHeld() {
		RequestId request = this.first.take(SEMAPHORE);
		AcquireCommand refused = limited(this.second, 5);
		assertMisconfigured(refused).withMessageContaining("5").withMessageContaining("" + PERMITS);
		// The last of several nodes may get it when the permit is free.
		this.second.abandon(refused.request());
		this.first.release(request);
		assertThat(this.second.acquire(limited(this.second, 5))).isInstanceOf(Granted.class);
		for (int i = 1; i < 5; i++) {
			assertThat(this.second.acquire(limited(this.second, 5))).isInstanceOf(Granted.class);
		}
		assertThat(this.second.acquire(limited(this.second, 5))).isInstanceOf(Busy.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void otherKindOfLockIsMisconfiguredWhileAnyPermitIsHeld(LockMode mode) {
		RequestId request = this.first.take(SEMAPHORE);
		AcquireCommand command = command(mode, 0, this.second, WAITING);
		assertMisconfigured(command).withMessageContaining("" + PERMITS);
		this.first.release(request);
		assertThat(this.second.acquire(command)).isInstanceOf(Granted.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
	void semaphoreIsMisconfiguredWhileAnotherKindOfLockIsHeld(LockMode mode) {
		RequestId request = this.first.take(mode);
		assertMisconfigured(limited(this.second, 7)).withMessageContaining("7");
		this.first.release(request);
		assertThat(this.second.acquire(limited(this.second, 7))).isInstanceOf(Granted.class);
	}

	@Test
	void semaphoreTokenIsLargerThanThatOfTheLockThatWasThere() {
		RequestId request = this.first.request();
		long token = token(this.first.acquire(request, TTL));
		this.first.release(request);
		assertThat(token(this.second.acquire(SEMAPHORE))).isGreaterThan(token);
	}

	private List<RequestId> takeAll() {
		List<RequestId> permits = new ArrayList<>();
		for (int i = 0; i < PERMITS; i++) {
			permits.add(this.first.take(SEMAPHORE));
		}
		assertThat(this.second.acquire(SEMAPHORE)).isInstanceOf(Busy.class);
		return permits;
	}

	private AcquireCommand limited(Instance instance, int permits) {
		return command(SEMAPHORE, permits, instance, Duration.ZERO);
	}

	private AcquireCommand command(LockMode mode, int permits, Instance instance, Duration waiting) {
		return new AcquireCommand(List.of(this.key), instance.request(), mode, permits, null, TTL, Duration.ZERO,
				waiting, 0, false);
	}

	private ThrowableAssertAlternative<?> assertMisconfigured(AcquireCommand command) {
		return assertThat(this.second.attempt(command)).failsWithin(WAITING)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
	}

}
