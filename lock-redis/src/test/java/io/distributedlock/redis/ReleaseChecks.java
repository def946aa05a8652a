package io.distributedlock.redis;

import java.util.Map;
import java.util.TreeMap;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.HANDLE;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static io.distributedlock.redis.LockScriptHarness.twin;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The checks of unlock.lua and release.lua.
 */
class ReleaseChecks {

	void ownerFreesAndKeepsTheToken(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.redis.hkeys(lock.key)).containsExactly("state");
		assertThat(lock.wire.show(lock.key)).contains("status released", "owner " + request, "token " + token);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
	}

	void releasedRequestIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.release(request);
		assertThat(lock.acquire(request).get(0)).isEqualTo(2L);
	}

	void releaseIsKnownHoweverManyCameAfterIt(LockScriptHarness lock) {
		String first = lock.take("X", A);
		lock.release(first);
		for (int i = 0; i < 100; i++) {
			lock.release(lock.take("X", B));
		}
		assertThat(lock.release(first)).isEqualTo(1);
	}

	/** A loss between two processes of one image was not told. */
	void releaseIsKnownAfterALaterRequestUnlessThatWasGranted(LockScriptHarness lock) {
		for (String mode : new String[] { "X", "R" }) {
			String first = request(A, 7);
			lock.come(mode, first);
			lock.release(first);
			String second = request(A, 7);
			lock.come(mode, second);
			assertThat(lock.release(first)).as(mode).isZero();
			assertThat(lock.status(second)).isEqualTo("held");
			lock.release(second);
			assertThat(lock.release(first)).as(mode).isZero();
			lock.abandon(request(A, 7));
			assertThat(lock.release(first)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

	void handleReleasesALeaseThatWasRenewedAndItsHolderIsTold(LockScriptHarness lock) {
		for (String mode : new String[] { "X", "R" }) {
			String request = lock.take(mode, A);
			lock.renew(request, 10_000, ONE);
			assertThat(lock.release(request, OTHER)).as(mode).isZero();
			assertThat(lock.wakeUps()).isEmpty();
			assertThat(lock.release(request, HANDLE)).as(mode).isEqualTo(1);
			assertThat(lock.status(request)).isEqualTo("released");
			assertThat(lock.wakeUps()).containsExactly(A + " k\n" + request + "\n0");
			assertThat(lock.release(request, HANDLE)).as("again").isEqualTo(1);
			assertThat(lock.wakeUps()).isEmpty();
			lock.startOver();
		}
	}

	void releaseByAnotherProcessWithTheNumberIsTold(LockScriptHarness lock) {
		String request = lock.take("X", A);
		assertThat(lock.release(twin(request))).isZero();
		lock.release(request);
		assertThat(lock.release(twin(request))).isZero();
	}

	void releaseOfARequestThatIsGoneIsTold(LockScriptHarness lock) {
		String request = lock.take("X", A);
		lock.abandon(request);
		assertThat(lock.release(request)).isEqualTo(EXPIRED);
		String expired = lock.take("X", A);
		lock.expire();
		lock.take("X", B);
		assertThat(lock.release(expired)).isEqualTo(EXPIRED);
		String reader = request(A, 7);
		lock.abandon(reader);
		assertThat(lock.release(request(A, 7))).as("it has not been there").isZero();
	}

	void wokenWaiterStaysInLineBehindTheNext(LockScriptHarness lock) {
		String first = lock.take("X", A);
		lock.waitFor(request(B));
		lock.release(first);
		String second = lock.take("X", A);
		lock.waitFor(request(C));
		lock.release(second);
		assertThat(lock.line()).containsExactly(B, C);
		assertThat(lock.lines("waiter")).allMatch((line) -> line.endsWith("woken"));
	}

	void lockOfAnotherVersionIsLeftAlone(LockScriptHarness lock) {
		lock.redis.hset(lock.key, "state", "\6");
		assertThatThrownBy(() -> lock.release(request(A))).hasMessageStartingWith("LOCKVERSION");
		assertThat(lock.redis.hgetall(lock.key)).containsExactly(Map.entry("state", "\6"));
	}

	void repeatedReleaseIsKnownAndLeavesTheNextHolderAlone(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.release(request);
		String next = request(B);
		lock.take(next, 10_000, 0);
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.get("owner")).isEqualTo(next);
		assertThat(lock.get("status")).isEqualTo("held");
	}

	void releaseOfARequestThatLostTheLockIsTold(LockScriptHarness lock) {
		lock.take(request(B), 10_000, 0);
		assertThat(lock.release(request(A))).isZero();
	}

	void expiredOwnerThatWasNotReplacedFreesAndWakesTheNext(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B));
		lock.expire();
		assertThat(lock.release(request)).as("no other request can have had it").isEqualTo(1);
		assertThat(lock.status(request)).isEqualTo("released");
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void keptLockStaysTaken(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		lock.waitFor(request(B));
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(0L);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.line()).startsWith(B);
	}

	void keptTimeIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 20_000);
		lock.move("kept", 3_600_000);
		lock.release(request);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
	}

	void waitersAreWokenOneByOneInOrder(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B, 1));
		lock.waitFor(request(C, 1));
		lock.release(request);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.lines("waiter")).as("out of the way, and in the readers'")
			.satisfiesExactly((first) -> assertThat(first).startsWith(C).endsWith("asleep"),
					(last) -> assertThat(last).startsWith(B).endsWith("woken"));
		String next = request(B, 1);
		lock.take(next, 10_000, 0);
		assertThat(lock.line()).containsExactly(C);
		lock.release(next);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		lock.take(request(C, 1), 10_000, 0);
		assertThat(lock.line()).isEmpty();
	}

	void oneOfThreeWaitersIsWoken(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor("X", B);
		lock.waitFor("X", C);
		lock.waitFor("X", A);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void waiterIsWokenAgainOnlyAfterItHasAskedAgain(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = lock.waitFor("X", B);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		lock.release(lock.take("X", C));
		assertThat(lock.wakeUps()).isEmpty();
		owner = lock.take("X", C);
		lock.waitAgain("X", waiter);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void deadWaitersAreSkipped(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.stand(new TreeMap<>(Map.of(B, -1L, C, 5_000L)));
		lock.release(request);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void onlyDeadWaitersAreForgotten(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.stand(Map.of(B, -1L));
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.line()).isEmpty();
	}

	void releasePassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.fillMemory();
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.status(request)).isEqualTo("released");
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void replicaDoesNotAnswerNotYours(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.release(request(B))).hasMessageContaining("READONLY");
	}

	void missingKeyIsNotTheOwners(LockScriptHarness lock) {
		assertThat(lock.release(request(A))).isZero();
		assertThat(lock.redis.exists(lock.key)).isZero();
	}

	void twinFreesNothing(LockScriptHarness lock) {
		for (String mode : new String[] { "X", "F", "R", "S" }) {
			String owner = lock.take(mode, A);
			lock.renew(owner, 10_000, ONE);
			assertThat(lock.release(owner, OTHER)).as(mode).isZero();
			assertThat(lock.renew(owner, 10_000, ONE)).as(mode).isEqualTo(1);
			assertThat(lock.release(owner, "33333333," + ONE)).as(mode).isEqualTo(1);
			assertThat(lock.release(owner, OTHER)).as("it was released").isEqualTo(1);
			lock.startOver();
		}
	}

	void markGoesWithTheOwner(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.renew(owner, 10_000, ONE);
		lock.release(owner, ONE);
		assertThat(lock.renew(lock.take("X", B), 10_000, OTHER)).isEqualTo(1);
	}

}
