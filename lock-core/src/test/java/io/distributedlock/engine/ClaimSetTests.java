package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Releases give the locks of a set to a waiter one after the other. */
class ClaimSetTests {

	/** Less than the time between two polls. */
	private static final Duration SHORT = Duration.ofMillis(600);

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	private final ManualInstance third = this.here.another();

	@BeforeEach
	void takeSetsTogether() {
		this.here.store.takeTogether();
		this.third.store.takeTogether();
	}

	@Test
	void setComesBeforeASingleWaiterBehindIt() {
		Lease held = single(this.there, "a").join();
		CompletableFuture<Lease> set = set();
		CompletableFuture<Lease> behind = single(this.third, "a");
		held.close();
		assertThat(set).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(behind).isNotDone();
		set.join().close();
		assertThat(behind).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** It was only woken before, and found the other lock busy again and again. */
	@Test
	void setIsServedBetweenWaitersForEachOfItsLocks() {
		Lease heldA = single(this.there, "a").join();
		Lease heldB = single(this.there, "b").join();
		CompletableFuture<Lease> set = set();
		CompletableFuture<Lease> behindA = single(this.third, "a");
		heldA.close();
		for (int i = 0; i < 20; i++) {
			this.third.advance(Duration.ofMillis(100));
			this.here.runDue();
		}
		assertThat(behindA).isNotDone();
		CompletableFuture<Lease> behindB = single(this.third, "b");
		heldB.close();
		assertThat(set).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(behindA).isNotDone();
		assertThat(behindB).isNotDone();
		set.join().close();
		assertThat(behindA).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(behindB).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void tokenOfASetIsLargerThanThoseByWhichItsLocksWereReserved() {
		Lease heldA = single(this.there, "a").join();
		Lease heldB = single(this.there, "b").join();
		CompletableFuture<Lease> set = set();
		heldA.close();
		heldB.close();
		assertThat(set.join().fencingToken()).isGreaterThan(heldB.fencingToken()).isGreaterThan(heldA.fencingToken());
	}

	@Test
	void reservedLockOutlastsItsTtlWhileTheSetWaits() {
		Lease heldA = single(this.there, "a").join();
		Lease heldB = single(this.there, "b").join();
		CompletableFuture<Lease> set = set();
		heldA.close();
		for (int i = 0; i < 50; i++) {
			this.here.advance(Duration.ofMillis(100));
			assertThat(this.here.store.isLocked("a")).as("after %d00 ms", i).isTrue();
		}
		heldB.close();
		assertThat(set).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void setThatGivesUpLeavesNothingReserved() {
		Lease heldA = single(this.there, "a").join();
		single(this.there, "b").join();
		CompletableFuture<Lease> set = set();
		CompletableFuture<Lease> behind = single(this.third, "a");
		heldA.close();
		set.cancel(true);
		assertThat(behind).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void reservedLockOfAProcessThatDiesIsFreeAfterItsTtl() {
		Lease heldA = single(this.there, "a").join();
		single(this.there, "b").join();
		set();
		heldA.close();
		this.here.store.close();
		CompletableFuture<Lease> behind = single(this.third, "a");
		this.third.advance(SHORT.minusMillis(10));
		assertThat(behind).isNotDone();
		this.third.advance(Duration.ofSeconds(1));
		assertThat(behind).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** Its other lock may be reserved by then, and must be free for others. */
	@Test
	void setThatTriesOnceReservesNothing() {
		single(this.there, "b").join();
		CompletableFuture<Lease> once = this.here
			.acquire(LockRequest.ofAll("a", "b").ttl(SHORT).waitFor(Duration.ZERO));
		assertThatThrownBy(once::join).isInstanceOf(CompletionException.class);
		assertThat(this.here.store.isLocked("a")).isFalse();
	}

	@Test
	void setWhoseReservedLockIsTakenAwayWaitsOn() {
		Lease heldA = single(this.there, "a").join();
		Lease heldB = single(this.there, "b").join();
		CompletableFuture<Lease> set = set();
		heldA.close();
		new MemoryLockStore(this.here.store.locks()).forceRelease(new ForceReleaseCommand(new LockKey("", "a"), null))
			.join();
		CompletableFuture<Lease> other = single(this.third, "a");
		assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
		heldB.close();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(set).isNotDone();
		other.join().close();
		this.here.advance(Duration.ofSeconds(3));
		assertThat(set).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void setsOfTwoInstancesDoNotWaitForEachOther() {
		Lease heldA = single(this.there, "a").join();
		Lease heldB = single(this.there, "b").join();
		CompletableFuture<Lease> one = set();
		CompletableFuture<Lease> two = this.third.acquire(LockRequest.ofAll("b", "a").ttl(SHORT));
		heldB.close();
		heldA.close();
		assertThat(one).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(two).isNotDone();
		one.join().close();
		assertThat(two).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** The message went to the line of the single key, and the lock stood idle. */
	@Test
	void lockReservedForACallerThatHasGivenUpGoesOnAtOnce() {
		Lease held = single(this.there, "a").join();
		CompletableFuture<Lease> gone = set();
		this.here.advance(Duration.ofMillis(10));
		CompletableFuture<Lease> late = set();
		gone.cancel(true);
		CompletableFuture<Lease> behind = single(this.third, "a");
		held.close();
		assertThat(List.of(late.isDone(), behind.isDone())).containsOnlyOnce(true);
		(late.isDone() ? late : behind).join().close();
		assertThat(late.isDone() && behind.isDone()).isTrue();
	}

	/** The answer to the next caller does not name the one that has it reserved. */
	@Test
	void lockReservedForACallerThatHasGivenUpIsFreeWithoutAMessage() {
		LockRequest set = LockRequest.ofAll("a", "b").ttl(Duration.ofSeconds(30)).waitFor(Duration.ofMinutes(1));
		Lease heldB = single(this.there, "b").join();
		CompletableFuture<Lease> gone = this.here.acquire(set);
		single(this.third, "a").join();
		this.here.store.deafen();
		heldB.close();
		assertThat(this.here.store.isLocked("b")).isTrue();
		this.here.advance(Duration.ofMillis(10));
		CompletableFuture<Lease> late = this.here.acquire(set);
		gone.cancel(true);
		this.here.advance(Duration.ofSeconds(5));
		assertThat(late).isNotDone();
		assertThat(this.here.store.isLocked("b")).isFalse();
	}

	@Test
	void setWithAShortTtlKeepsAReservedLockWithoutAMessage() {
		Lease heldA = single(this.there, "a").join();
		single(this.there, "b").join();
		set();
		this.here.store.deafen();
		heldA.close();
		for (int i = 0; i < 50; i++) {
			this.here.advance(Duration.ofMillis(100));
			assertThat(this.here.store.isLocked("a")).as("after %d00 ms", i).isTrue();
		}
	}

	private CompletableFuture<Lease> set() {
		return this.here.acquire(LockRequest.ofAll("a", "b").ttl(SHORT).waitFor(Duration.ofMinutes(1)));
	}

	private static CompletableFuture<Lease> single(ManualInstance instance, String key) {
		return instance.acquire(LockRequest.of(key).ttl(Duration.ofSeconds(30)).waitFor(Duration.ofMinutes(1)));
	}

}
