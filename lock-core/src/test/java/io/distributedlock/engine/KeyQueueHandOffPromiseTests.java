package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises to callers of one instance while they hand a lock on.
 */
class KeyQueueHandOffPromiseTests extends HandOffTurn {

	@Test
	void lossIsToldToTheOneThatHasTheLock() {
		Lease lease = turn(REQUEST, 3);
		AtomicInteger toldFirst = new AtomicInteger();
		AtomicInteger toldSecond = new AtomicInteger();
		lease.onLost(toldFirst::incrementAndGet);
		this.here.store.locks().remove("", "k");
		lease.close();
		Lease second = at(1);
		second.onLost(toldSecond::incrementAndGet);
		assertThat(second.isHeld()).isTrue();
		this.here.advance(Duration.ofSeconds(15));
		assertThat(toldFirst).hasValue(0);
		assertThat(toldSecond).hasValue(1);
		assertThat(losses()).extracting(LockEvent.Lost::fencingToken).containsExactly(second.fencingToken());
		assertThat(this.line.get(2)).isCompleted();
		assertThat(at(2).fencingToken()).isGreaterThan(second.fencingToken());
	}

	@Test
	void stolenByAnotherInstanceIsNotOwned() {
		Lease lease = turn(REQUEST, 2);
		ManualInstance there = this.here.another();
		this.here.store.locks().remove("", "k");
		Lease other = there.acquire(REQUEST).join();
		lease.close();
		Lease second = at(1);
		this.here.advance(Duration.ofSeconds(15));
		there.advance(Duration.ZERO);
		assertThat(second.isLost()).isTrue();
		assertThat(losses()).extracting(LockEvent.Lost::fencingToken).containsExactly(second.fencingToken());
		other.release();
		there.runDue();
	}

	@Test
	void tokenOfAnotherAfterAStealIsLargerThanAllReserved() {
		Lease lease = turn(REQUEST, 5);
		ManualInstance there = this.here.another();
		this.here.store.locks().remove("", "k");
		this.here.clock.advance(Duration.ofNanos(100_000));
		Lease other = there.acquire(REQUEST).join();
		lease.close();
		assertThat(other.fencingToken()).isGreaterThan(at(1).fencingToken());
		other.release();
	}

	@Test
	void leaseEndsBeforeTheLockInTheStore() {
		LockRequest request = REQUEST.ttl(Duration.ofMillis(2000)).renew(false);
		Lease lease = turn(request, 4);
		long until = this.here.clock.quietly() + lease.remaining().toNanos();
		for (int i = 1; i < 4; i++) {
			this.here.clock.advance(Duration.ofMillis(3));
			lease.close();
			lease = at(i);
			assertThat(this.here.clock.quietly() + lease.remaining().toNanos()).isLessThanOrEqualTo(until);
		}
		while (this.here.store.isLocked("k") && lease.isHeld()) {
			this.here.advance(Duration.ofMillis(1));
		}
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.here.store.isLocked("k")).isTrue();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(losses()).hasSize(1)
			.first()
			.extracting(LockEvent.Lost::fencingToken)
			.isEqualTo(lease.fencingToken());
	}

	@Test
	void maxHoldCountsFromTheHandOff() {
		LockRequest request = REQUEST.maxHold(Duration.ofSeconds(2));
		Lease lease = turn(request, 2);
		this.here.clock.advance(Duration.ofMillis(15));
		lease.close();
		Lease second = at(1);
		this.here.advance(Duration.ofMillis(1970));
		assertThat(second.isHeld()).isTrue();
		this.here.advance(Duration.ofSeconds(40));
		assertThat(second.isLost()).isTrue();
		assertThat(losses()).hasSize(1);
		assertThat(losses().get(0).fencingToken()).isEqualTo(second.fencingToken());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void ownerWhoseThreadDiedHasHandedOnToOneThatLives(boolean reverse) throws Exception {
		Thread dead = new Thread(() -> {
		});
		dead.start();
		dead.join();
		Thread alive = Thread.currentThread();
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST.ownedBy(reverse ? alive : dead)));
		this.line.add(this.here.acquire(REQUEST.ownedBy(reverse ? dead : alive)));
		first.close();
		at(0).close();
		Lease second = at(1);
		this.here.advance(Duration.ofMinutes(5));
		assertThat(second.isHeld()).isEqualTo(!reverse);
	}

	@Test
	void waiterThatTimesOutIsPassedOver() {
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST));
		this.line.add(this.here.acquire(REQUEST.waitFor(Duration.ofMillis(10))));
		this.line.add(this.here.acquire(REQUEST));
		first.close();
		this.here.clock.advance(Duration.ofMillis(10));
		at(0).close();
		CompletableFuture<Lease> late = this.line.get(1);
		if (late.isDone() && !late.isCompletedExceptionally()) {
			late.join().close();
		}
		assertThat(at(2).isHeld()).isTrue();
		this.here.runDue();
		assertThat(late).isDone();
	}

	@Test
	void allWaitersGiveUpAtTheHandOff() {
		Lease lease = turn(REQUEST, 1000);
		this.line.subList(1, 1000).forEach((each) -> each.cancel(false));
		lease.close();
		assertThat(this.here.store.isLocked("k")).isFalse();
	}

	@Test
	void allButTheLastGiveUpAtTheHandOff() {
		Lease lease = turn(REQUEST, 1000);
		this.line.subList(1, 999).forEach((each) -> each.cancel(false));
		lease.close();
		assertThat(at(999).isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void thousandWaitersThatCloseAtOnceAreServedInOrder(boolean handOff) {
		this.here = ManualInstance.with(EngineSettings.DEFAULTS.withHandOff(handOff));
		Lease first = this.here.acquire(REQUEST).join();
		List<Integer> order = new ArrayList<>();
		List<Long> tokens = new ArrayList<>();
		Queue<Lease> due = new ArrayDeque<>();
		for (int i = 0; i < 1000; i++) {
			int place = i;
			CompletableFuture<Lease> each = this.here.acquire(REQUEST);
			each.thenAccept((lease) -> {
				order.add(place);
				tokens.add(lease.fencingToken());
				due.add(lease);
			});
			this.line.add(each);
		}
		for (Lease lease = first; lease != null; lease = due.poll()) {
			lease.close();
			this.here.runDue();
		}
		assertThat(order).isSorted().hasSize(1000);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void waiterThatIsCancelledWhileItsLeaseIsDelivered() {
		Lease lease = turn(REQUEST, 3);
		this.here.holdCallbacks();
		lease.release();
		this.line.get(1).cancel(false);
		this.here.runCallbacks();
		this.here.runDue();
		assertThat(at(2).isHeld()).isTrue();
		assertThat(this.line.get(1)).isCancelled();
		assertThat(at(2).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void manyAreCancelledWhileTheirLeasesAreDelivered() {
		Lease lease = turn(REQUEST, 50);
		this.here.holdCallbacks();
		lease.release();
		for (int i = 1; i < 49; i++) {
			this.line.get(i).cancel(false);
		}
		this.here.runCallbacks();
		this.here.advance(Duration.ofMillis(100));
		assertThat(at(49).isHeld()).isTrue();
	}

	@Test
	void ownerInLineTwice() {
		Object owner = new Object();
		Lease first = this.here.acquire(REQUEST).join();
		for (int i = 0; i < 2; i++) {
			this.line.add(this.here.acquire(REQUEST));
			this.line.add(this.here.acquire(REQUEST.ownedBy(owner)));
			this.line.add(this.here.acquire(REQUEST.ownedBy(owner)));
		}
		first.close();
		at(0).close();
		Lease mine = at(1);
		assertThat(mine.isHeld()).isTrue();
		Lease again = this.here.acquire(REQUEST.ownedBy(owner)).join();
		assertThat(again.fencingToken()).isEqualTo(mine.fencingToken());
		mine.close();
		assertThat(this.line.get(3)).isNotDone();
		again.close();
		for (int i = 2; i < 6; i++) {
			this.here.advance(Duration.ofSeconds(1));
			Lease next = at(i);
			assertThat(next.isHeld()).isTrue();
			next.close();
		}
		assertThat(this.here.store.isLocked("k")).isFalse();
	}

	@Test
	void reentrantLeaseIsHandedOnByItsLastClose() {
		Object owner = new Object();
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST.ownedBy(owner)));
		this.line.add(this.here.acquire(REQUEST));
		first.close();
		Lease outer = at(0);
		Lease inner = this.here.acquire(REQUEST.ownedBy(owner)).join();
		inner.close();
		assertThat(this.line.get(1)).isNotDone();
		outer.close();
		assertThat(at(1).isHeld()).isTrue();
		inner.close();
		outer.close();
		assertThat(at(1).isHeld()).isTrue();
		CompletableFuture<Lease> late = this.here.acquire(REQUEST.ownedBy(owner).waitFor(Duration.ZERO));
		assertThat(ManualInstance.failure(late)).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void reentranceWithALongerTtlIsKept() {
		Object owner = new Object();
		Lease first = this.here.acquire(REQUEST).join();
		this.line.add(this.here.acquire(REQUEST.ownedBy(owner)));
		this.line.add(this.here.acquire(REQUEST));
		this.line.add(this.here.acquire(REQUEST));
		first.close();
		Lease outer = at(0);
		Lease inner = this.here.acquire(REQUEST.ownedBy(owner).ttl(Duration.ofMinutes(5))).join();
		assertThat(inner.remaining()).isGreaterThan(Duration.ofMinutes(4));
		inner.close();
		outer.close();
		this.here.advance(Duration.ofSeconds(1));
		Lease next = at(1);
		assertThat(next.isHeld()).isTrue();
		this.here.store.silence(Command.RENEW);
		this.here.advance(Duration.ofMinutes(1));
		assertThat(next.isHeld()).isFalse();
	}

	@Test
	void readWhileHandedOnIsNotLetIn() {
		Lease lease = turn(REQUEST, 3);
		CompletableFuture<Lease> reader = this.here.acquire(REQUEST.mode(LockMode.READ).waitFor(Duration.ofHours(1)));
		this.line.add(reader);
		lease.close();
		assertThat(at(1).isHeld()).isTrue();
		assertThat(reader).isNotDone();
		at(1).close();
		assertThat(reader.isDone() && this.line.get(2).isDone()).isFalse();
		this.here.advance(Duration.ofSeconds(3));
		if (this.line.get(2).isDone()) {
			at(2).close();
		}
		this.here.advance(Duration.ofSeconds(3));
		assertThat(reader).isCompleted();
	}

	@Test
	void turnWithReadersOfAnotherInstanceWaiting() {
		ManualInstance there = this.here.another();
		Lease lease = turn(REQUEST, 30);
		CompletableFuture<Lease> reader = there.acquire(REQUEST.mode(LockMode.READ));
		for (int i = 1; i < 30 && !reader.isDone(); i++) {
			this.here.clock.advance(Duration.ofMillis(1));
			lease.close();
			if (!this.line.get(i).isDone()) {
				break;
			}
			lease = at(i);
		}
		assertThat(reader).isCompleted();
		assertThat(lease.isHeld()).isFalse();
		assertThat(reader.join().fencingToken()).isGreaterThanOrEqualTo(lease.fencingToken());
		reader.join().close();
		there.advance(Duration.ZERO);
	}

}
