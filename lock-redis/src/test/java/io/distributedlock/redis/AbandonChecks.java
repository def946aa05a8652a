package io.distributedlock.redis;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The requirements for abandon.lua.
 */
class AbandonChecks {

	void requestThatHasNotArrivedIsRefused(LockScriptHarness lock) {
		String request = request(A);
		assertThat(lock.abandon(request)).isZero();
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
	}

	void ownerFreesAndIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		assertThat(lock.abandon(request)).isEqualTo(1);
		assertThat(lock.redis.hkeys(lock.key)).containsExactly("state");
		assertThat(lock.wire.show(lock.key)).contains("status gone", "lease 0", "kept 0", "keptFor 0");
		assertThat(lock.left("deadline")).isBetween(-5_000L, 0L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void anothersLockAndItsLifeAreLeftAlone(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 30_000);
		assertThat(lock.abandon(request(B))).isZero();
		assertThat(lock.status(owner)).isEqualTo("held");
		assertThat(lock.wire.show(lock.key)).contains("lease 10000", "keptFor 30000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void requestsAreRefusedHoweverManyWereAbandonedAfterThem(LockScriptHarness lock) {
		List<String> requests = Stream.generate(() -> request(A)).limit(100).toList();
		requests.forEach(lock::abandon);
		requests.forEach(lock::abandon);
		assertThat(lock.lines("last")).hasSize(100);
		assertThat(requests).allSatisfy((request) -> assertThat(lock.acquire(request)).isEqualTo(List.of(2L)));
	}

	void laterRequestThatIsAbandonedLeavesTheHolderBeforeIt(LockScriptHarness lock) {
		for (String mode : List.of("X", "R")) {
			String earlier = request(A, 7);
			lock.come(mode, earlier);
			assertThat(lock.abandon(request(A, 7))).as(mode).isZero();
			assertThat(lock.renew(earlier, 20_000)).as(mode).isEqualTo(1);
			assertThat(lock.release(earlier)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

	/** A late copy of it took the lock for a whole lease, with nothing behind it. */
	void requestThatIsAbandonedBehindALoneHolderIsRefusedAfterIt(LockScriptHarness lock) {
		for (String mode : List.of("X", "F")) {
			String earlier = request(A, 7);
			lock.come(mode, earlier);
			String later = request(A, 7);
			lock.abandon(later);
			assertThat(lock.get("shared")).as(mode).isEqualTo("2");
			lock.come(mode, earlier);
			assertThat(lock.raise(earlier, 1)).as(mode).isEqualTo(1);
			assertThat(lock.acquire(mode, request(A, 7)).get(0)).as("busy").isEqualTo(0L);
			assertThat(lock.release(earlier)).as(mode).isEqualTo(1);
			assertThat(lock.acquire(mode, later)).as(mode).isEqualTo(List.of(2L));
			lock.release(lock.take(mode, B));
			assertThat(lock.acquire(mode, later)).as(mode).isEqualTo(List.of(2L));
			assertThat(lock.status(later)).isEqualTo("gone");
			assertThat(lock.get("shared")).isEqualTo("0");
			lock.startOver();
		}
	}

	void endOfARequestIsRememberedAlsoWhereALaterOneIsForgotten(LockScriptHarness lock) {
		String earlier = request(A, 7);
		lock.take(earlier, 10_000, 0);
		String later = request(A, 7);
		lock.abandon(later);
		lock.shift(later, -RETENTION - 2_000);
		assertThat(lock.release(earlier)).isEqualTo(1);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.status(earlier)).isEqualTo("released");
	}

	void endOfARequestIsRememberedFromItsTimeAlsoByALaterOne(LockScriptHarness lock) {
		String earlier = request(A, 7);
		lock.take(earlier, 10_000, 0);
		String later = request(A, 7);
		lock.abandon(later);
		lock.shift(later, -RETENTION + 5_000);
		lock.release(earlier);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.status(later)).isEqualTo("gone");
		assertThat(lock.rest(later)).isGreaterThan(-5_000);
	}

	void laterRequestThatIsAbandonedEndsTheEarlierThatHasEnded(LockScriptHarness lock) {
		String earlier = request(A, 7);
		lock.take(earlier, 10_000, 0);
		lock.expire();
		String later = request(A, 7);
		String last = request(A, 7);
		assertThat(lock.abandon(last)).isZero();
		assertThat(lock.abandon(later)).isZero();
		assertThat(lock.status(last)).isEqualTo("gone");
		assertThat(lock.acquire(later)).isEqualTo(List.of(2L));
		assertThat(lock.acquire(earlier)).isEqualTo(List.of(2L));
		assertThat(lock.release(earlier)).as("its contender has gone on").isEqualTo(1);
		lock.release(lock.take("X", B));
		assertThat(lock.status(last)).as("not that before it").isEqualTo("gone");
	}

	void releasedRequestStaysReleased(LockScriptHarness lock) {
		for (String mode : List.of("X", "R")) {
			String released = lock.take(mode, A);
			lock.release(released);
			assertThat(lock.abandon(released)).as(mode).isZero();
			assertThat(lock.release(released)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

	void ownerThatIsAbandonedWakesTheNext(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.abandon(request);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.lines("waiter")).satisfiesExactly((first) -> assertThat(first).startsWith(C).endsWith("asleep"),
				(last) -> assertThat(last).startsWith(B).endsWith("woken"));
	}

	void waiterThatIsAbandonedLeavesTheLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		String gone = request(B);
		lock.waitFor(gone);
		lock.waitFor(request(C));
		lock.abandon(gone);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.line()).containsExactly(C);
	}

	void lastWaiterThatIsAbandonedLeavesNoLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		String gone = request(B);
		lock.waitFor(gone);
		lock.abandon(gone);
		assertThat(lock.line()).isEmpty();
	}

	void wokenWaiterThatIsAbandonedWakesTheNext(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 0);
		String woken = request(B);
		lock.waitFor(woken);
		lock.waitFor(request(C));
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		lock.abandon(woken);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	/** The next waiter was woken as well. */
	void waiterForOneOfSeveralIsWokenOnceAlsoWhereAnotherIsShared(LockScriptHarness lock) {
		List<String> keys = lock.keys().subList(0, 2);
		String owner = request(A);
		lock.acquire(keys, owner);
		lock.waitFor("X", B);
		lock.waitFor("X", C);
		lock.acquire("R", keys.subList(1, 2), request(B), 10_000, 5_000);
		assertThat(lock.abandon(keys, owner)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k", B + " k1");
	}

	void withdrawnOwnerWaitsBehindTheOthersAndLetsNoReaderIn(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B));
		String reader = lock.waitFor("R", C);
		assertThat(lock.withdraw(request)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.lines("waiter")).satisfiesExactly((first) -> assertThat(first).startsWith(A).endsWith("asleep"),
				(last) -> assertThat(last).startsWith(B).endsWith("woken"));
		assertThat(Long.parseLong(lock.lines("waiter").get(0).split(" ")[1])).isBetween(lock.now(), lock.now() + 5_000);
		assertThat(lock.members("readers")).containsExactly(reader);
		assertThat(lock.members("admitted")).isEmpty();
		assertThat(lock.status(request)).isEqualTo("gone");
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void entryOfAWithdrawnOwnerLastsUntilItsDeadline(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 1_000, 0);
		lock.withdraw(request);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 2_000, RETENTION + 5_000);
	}

	void withdrawnOwnerIsNotWokenItself(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		String reader = lock.waitFor("R", C);
		lock.withdraw(request);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.line()).containsExactly(A);
		assertThat(lock.members("readers")).containsExactly(reader);
	}

	void keptLockSendsNoWakeUp(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 30_000);
		lock.waitFor(request(C));
		lock.expire();
		lock.abandon(request(B));
		assertThat(lock.wakeUps()).isEmpty();
		lock.move("kept", -1);
		lock.abandon(request(B));
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void deadWaitersAreSkipped(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.stand(new TreeMap<>(Map.of(B, -1L, C, 5_000L)));
		lock.abandon(request);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void lockOfAnotherVersionIsLeftAlone(LockScriptHarness lock) {
		lock.redis.hset(lock.key, "state", "\6");
		assertThatThrownBy(() -> lock.abandon(request(A))).hasMessageStartingWith("LOCKVERSION");
		assertThat(lock.redis.hgetall(lock.key)).containsExactly(Map.entry("state", "\6"));
	}

	void abandonPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.abandon(request)).isEqualTo(1);
		lock.key += "unknown";
		assertThat(lock.abandon(request)).isZero();
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void replicaDoesNotAnswer(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.abandon(request(B))).hasMessageContaining("READONLY");
	}

	void markGoesWithTheOwner(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.renew(owner, 10_000, ONE);
		lock.abandon(owner);
		assertThat(lock.renew(lock.take("X", B), 10_000, OTHER)).isEqualTo(1);
	}

}
