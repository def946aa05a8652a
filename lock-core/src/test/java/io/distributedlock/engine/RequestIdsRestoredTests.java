package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Processes that were restored from one image: they had the same lock with the same
 * token, since their requests were the same.
 */
class RequestIdsRestoredTests {

	private static final Duration WHILE_IT_WAS_STORED = Duration.ofMinutes(5);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(Duration.ofSeconds(9));

	private static final LockRequest READING = REQUEST.mode(LockMode.READ);

	private final ManualInstance origin = new ManualInstance();

	private final ManualInstance one = this.origin.restored();

	private final ManualInstance other = this.origin.restored();

	@Test
	void requestsOfTwinsThatDoNotKnowOfEachOtherAreTheSame() {
		assertThat(this.one.acquire(REQUEST).join().fencingToken())
			.isEqualTo(this.other.acquire(REQUEST).join().fencingToken());
	}

	@Test
	void lockHasOneHolderWhenTheClocksOfTwinsShowTheRestore() {
		this.one.clock.suspend(WHILE_IT_WAS_STORED);
		this.other.clock.suspend(WHILE_IT_WAS_STORED);
		assertThatOneHolds();
	}

	@Test
	void lockHasOneHolderWhenTwinsAreNotifiedOfTheRestore() {
		this.one.engine.restored();
		this.other.engine.restored();
		assertThatOneHolds();
	}

	private void assertThatOneHolds() {
		CompletableFuture<Lease> first = this.one.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		CompletableFuture<Lease> second = this.other.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		assertThat(first.join().isHeld()).isTrue();
		assertThat(second).isNotDone();
		first.join().close();
		this.other.advance(Duration.ofSeconds(2));
		assertThat(second.join().isHeld()).isTrue();
		assertThat(second.join().fencingToken()).isGreaterThan(first.join().fencingToken());
	}

	/** Each used to make requests that the other's were taken for. */
	@Test
	void cloneWhoseFirstRequestIsRefusedTakesAnotherIdentity() {
		ManualInstance first = this.origin.cloned(1);
		ManualInstance second = this.origin.cloned(2);
		Lease elsewhere = second.acquire(LockRequest.of("elsewhere")).join();
		first.acquire(LockRequest.of("anything")).join();
		first.acquire(REQUEST).join().close();
		String before = second.engine.instance.requestIds().instance();
		Lease lease = second.acquire(REQUEST.waitFor(Duration.ofHours(1))).join();
		assertThat(lease.isHeld()).isTrue();
		assertThat(second.engine.instance.requestIds().instance()).isNotEqualTo(before);
		assertThat(elsewhere.isHeld()).as("before the store has confirmed it").isFalse();
		second.runDue();
		assertThat(elsewhere.isHeld()).isTrue();
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void cloneDoesNotTakeTheLockOfTheOther() {
		ManualInstance first = this.origin.cloned(1);
		ManualInstance second = this.origin.cloned(2);
		Lease held = first.acquire(REQUEST).join();
		CompletableFuture<Lease> waiting = second.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		second.advance(Duration.ofSeconds(1));
		assertThat(waiting).isNotDone();
		assertThat(held.isHeld()).isTrue();
		held.close();
		second.advance(Duration.ofSeconds(2));
		assertThat(waiting.join().isHeld()).isTrue();
	}

	/** They had one waiter entry, which went with whichever of them left first. */
	@Test
	void writerKeepsReadersOutWhenAnotherOfItsImageGivesUp() {
		this.one.clock.suspend(WHILE_IT_WAS_STORED);
		this.other.clock.suspend(WHILE_IT_WAS_STORED);
		this.origin.acquire(READING).join();
		CompletableFuture<Lease> writer = this.one.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		CompletableFuture<Lease> leaver = this.other.acquire(REQUEST.waitFor(Duration.ofMillis(10)));
		this.other.advance(Duration.ofMillis(20));
		assertThat(ManualInstance.failure(leaver)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(ManualInstance.failure(this.origin.acquire(READING.waitFor(Duration.ZERO))))
			.isInstanceOf(LockNotAcquiredException.class);
		assertThat(writer).isNotDone();
	}

	@Test
	void waiterIsWokenBesideOthersOfItsImage() {
		this.one.clock.suspend(WHILE_IT_WAS_STORED);
		this.one.acquire(REQUEST).join().close();
		this.one.runDue();
		Lease held = this.origin.acquire(REQUEST).join();
		CompletableFuture<Lease> waiter = this.one.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		held.close();
		assertThat(waiter).isCompleted();
	}

	@Test
	void holderIsNamedAfterAJump() {
		this.one.acquire(REQUEST).join();
		this.one.clock.suspend(Duration.ofMillis(10));
		assertThat(ManualInstance.failure(this.one.acquire(LockRequest.ofAll("k", "l").waitFor(Duration.ZERO))))
			.hasMessageContaining("held by this instance");
	}

	@Test
	void leaseOfBeforeARestoreIsLostAndNotReleased() {
		Lease before = this.one.acquire(REQUEST).join();
		this.one.engine.restored();
		this.one.runDue();
		assertThat(before.isLost()).isTrue();
		assertThat(this.one.events).filteredOn(LockEvent.Lost.class::isInstance)
			.extracting((event) -> ((LockEvent.Lost) event).reason())
			.containsExactly(LossReason.RESTORED);
		assertThat(this.one.store.isLocked("k")).isTrue();
		assertThatThrownBy(before::close).isInstanceOf(LockLostException.class);
		assertThat(this.one.store.isLocked("k")).isTrue();
	}

}
