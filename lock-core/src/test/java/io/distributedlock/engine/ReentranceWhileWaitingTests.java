package io.distributedlock.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.TemplateLease;
import io.distributedlock.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Owners that come to enter the lock of a holder while they wait for it.
 */
class ReentranceWhileWaitingTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private final Set<Object> friends = ConcurrentHashMap.newKeySet();

	/**
	 * A waiter whose owner became equal to the holder, as in a transaction, waited on.
	 */
	@Test
	void waiterWhoseOwnerHasBecomeEqualEntersAlthoughItIsNotTheHead() {
		Lease held = acquire("holder", "k").join();
		CompletableFuture<Lease> stranger = acquire(null, "k");
		CompletableFuture<Lease> friend = acquire(new Friend(), "k");
		befriend("holder", held);
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(granted(friend).fencingToken()).isEqualTo(held.fencingToken());
		assertThat(stranger).isNotDone();
		held.close();
		assertThat(stranger).isNotDone();
		granted(friend).close();
		assertThat(stranger).isCompletedWithValueMatching(Lease::isHeld);
		granted(stranger).close();
		assertNothingLeft();
	}

	@Test
	void waiterWhoseBudgetIsOverDoesNotEnter() {
		Lease held = acquire("holder", "k").join();
		CompletableFuture<Lease> late = acquire(new Friend(), "k");
		CompletableFuture<Lease> cancelled = acquire(new Friend(), "k");
		cancelled.cancel(true);
		this.instance.advance(LONG.plusSeconds(1));
		befriend("holder", held);
		assertThat(ManualInstance.failure(late)).isInstanceOf(LockNotAcquiredException.class);
		held.close();
		assertNothingLeft();
	}

	@Test
	void waiterDoesNotEnterALostLease() {
		Lease held = acquire("holder", "k").join();
		CompletableFuture<Lease> friend = acquire(new Friend(), "k");
		held.checkHeld();
		this.store.locks().remove("", "k");
		this.instance.advance(Duration.ofSeconds(11));
		befriend("holder", held);
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(granted(friend).fencingToken()).isGreaterThan(held.fencingToken());
	}

	@Test
	void waiterThatWantsALongerLeaseEntersWhenItIsLonger() {
		Lease held = acquire("holder", "k").join();
		CompletableFuture<Lease> friend = this.instance
			.acquire(LockRequest.of("k").ownedBy(new Friend()).waitFor(LONG).ttl(Duration.ofSeconds(90)));
		ScriptedStore.Held renewal = this.store.hold(ScriptedStore.Command.RENEW);
		befriend("holder", held);
		assertThat(friend).isNotDone();
		renewal.answer();
		assertThat(granted(friend).remaining()).isGreaterThan(Duration.ofSeconds(80));
	}

	@Test
	void waiterThatCannotBeComparedIsToldSoAndTheOthersEnter() {
		Lease held = acquire("holder", "k").join();
		CompletableFuture<Lease> broken = acquire(new Friend() {
			@Override
			boolean isFriend(Object other) {
				if (super.isFriend(other)) {
					throw new AssertionError("not comparable");
				}
				return false;
			}
		}, "k");
		CompletableFuture<Lease> friend = acquire(new Friend(), "k");
		befriend("holder", held);
		assertThat(ManualInstance.failure(broken)).hasStackTraceContaining("not comparable");
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void severalKeysThatWereTakenOneByOneAreAllLookedAt() {
		Lease held = acquire("holder", "a", "b").join();
		CompletableFuture<Lease> friend = acquire(new Friend(), "b");
		befriend("holder", held);
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
	}

	/**
	 * A request for a part of the keys waits in another queue, which attempts in the
	 * store.
	 */
	@ParameterizedTest
	@CsvSource({ "a+b, a", "a+b, b", "a, a+b", "b, a+b", "a+b, b+c", "b+c, a+b", "a+b, a+b", "a+b, a+b+c" })
	void waiterForKeysThatAreSharedEnters(String holder, String waiter) {
		this.store.takeTogether();
		Lease held = acquire("holder", holder.split("\\+")).join();
		CompletableFuture<Lease> stranger = acquire(null, waiter.split("\\+"));
		CompletableFuture<Lease> friend = acquire(new Friend(), waiter.split("\\+"));
		CompletableFuture<Lease> last = acquire(null, waiter.split("\\+"));
		this.instance.advance(Duration.ofSeconds(3));
		befriend("holder", held);
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
		held.close();
		granted(friend).close();
		this.instance.advance(Duration.ofSeconds(2));
		granted(stranger).close();
		this.instance.advance(Duration.ofSeconds(2));
		granted(last).close();
		assertNothingLeft();
	}

	/**
	 * The caller waits in the line of one key while the attempt of another is under way.
	 */
	@Test
	void singleTryThatWaitsForTheAnswerOfAnotherEntersTheSet() {
		this.store.takeTogether();
		ScriptedStore.Held attempt = this.store.hold(ScriptedStore.Command.ACQUIRE);
		CompletableFuture<Lease> stranger = acquire(null, "a");
		CompletableFuture<Lease> friend = this.instance
			.acquire(LockRequest.of("a").ownedBy(new Friend()).waitFor(Duration.ZERO));
		Lease held = acquire("holder", "a", "b").join();
		assertThat(friend).isNotDone();
		befriend("holder", held);
		granted(friend).close();
		held.close();
		attempt.answer();
		granted(stranger).close();
		assertNothingLeft();
	}

	/** The only waiter for a part leaves its queue and the line in the store. */
	@ParameterizedTest
	@CsvSource({ "a+b, a", "a, a+b", "a+b, b+c" })
	void onlyWaiterForKeysThatAreSharedLeavesNothingBehind(String holder, String waiter) {
		this.store.takeTogether();
		Lease held = acquire("holder", holder.split("\\+")).join();
		CompletableFuture<Lease> friend = acquire(new Friend(), waiter.split("\\+"));
		befriend("holder", held);
		granted(friend).close();
		held.close();
		assertNothingLeft();
	}

	@Test
	void setThatIsCancelledWhileItIsDividedLeavesNothingBehind() {
		this.store.takeTogether();
		Lease held = acquire("holder", "a").join();
		Lease other = acquire("other", "b").join();
		CompletableFuture<Lease> friend = acquire(new Friend(), "a", "b");
		befriend("holder", held);
		assertThat(friend).isNotDone();
		assertThat(friend.cancel(true)).isTrue();
		other.close();
		held.close();
		assertNothingLeft();
	}

	@Test
	void setThatIsDividedKeepsItsBudget() {
		this.store.takeTogether();
		Lease held = acquire("holder", "a").join();
		acquire("other", "b").join();
		CompletableFuture<Lease> friend = acquire(new Friend(), "a", "b");
		this.instance.advance(LONG.minusSeconds(1));
		befriend("holder", held);
		this.instance.advance(Duration.ofMillis(900));
		assertThat(friend).isNotDone();
		this.instance.advance(Duration.ofMillis(200));
		assertThat(ManualInstance.failure(friend)).isInstanceOf(LockNotAcquiredException.class);
	}

	/** The same for a thread that blocks. */
	@Test
	void setThatAThreadWaitsForIsDivided() {
		ScriptedStore real = new ScriptedStore();
		real.takeTogether();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(real)) {
			Lease held = registry.acquire(LockRequest.of("a").ownedBy("holder"));
			CompletableFuture<Lease> friend = new CompletableFuture<>();
			ManualInstance.startUntilStuck(() -> friend
				.complete(registry.acquire(LockRequest.ofAll("a", "b").ownedBy(new Friend()).waitFor(LONG))));
			befriend("holder", held);
			assertThat(friend).succeedsWithin(Patience.CEILING).matches(Lease::isHeld);
			granted(friend).close();
			held.close();
		}
	}

	/** A waiter that was on its way to the queue was not in it yet. */
	@ParameterizedTest
	@CsvSource({ "a+b, a", "a, a+b", "a+b, b+c", "a+b, a+b" })
	void waiterThatIsOnItsWayEnters(String holder, String waiter) {
		this.store.takeTogether();
		Lease held = acquire("holder", holder.split("\\+")).join();
		CompletableFuture<Lease> friend = acquire(new Friend() {
			@Override
			boolean isFriend(Object other) {
				boolean before = super.isFriend(other);
				if (!before) {
					befriend("holder", held);
				}
				return before;
			}
		}, waiter.split("\\+"));
		granted(friend).close();
		held.close();
		assertNothingLeft();
	}

	private CompletableFuture<Lease> acquire(Object owner, String... keys) {
		LockRequest request = LockRequest.ofAll(keys).waitFor(LONG);
		return this.instance.acquire((owner != null) ? request.ownedBy(owner) : request);
	}

	private static Lease granted(CompletableFuture<Lease> future) {
		assertThat(future).isCompletedWithValueMatching(Lease::isHeld);
		return future.join();
	}

	private void befriend(Object owner, Lease lease) {
		this.friends.add(owner);
		((TemplateLease) lease).ownersChanged();
	}

	private void assertNothingLeft() {
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.instance.engine.instance.heldCount()).isZero();
		assertThat(this.instance.engine.queues.index.size()).isZero();
		assertThat(this.instance.engine.instance.backgroundCount()).isZero();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
		assertThat(this.store.isLocked("k") || this.store.isLocked("a") || this.store.isLocked("b")).isFalse();
	}

	/** Enters the locks of those that have been befriended. */
	private class Friend implements LockOwner {

		boolean isFriend(Object other) {
			return ReentranceWhileWaitingTests.this.friends.contains(other);
		}

		@Override
		public boolean enters(Object other) {
			return isFriend(other);
		}

	}

}
