package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static io.distributedlock.redis.LockScriptHarness.twin;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How unlock.lua, release.lua and abandon.lua give a lock to a waiter that has left a
 * claim in its entry.
 */
class ClaimChecks {

	private static final long CLAIM = 800;

	void releaseGivesTheLockToTheFirstWaiterForItsClaim(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		long token = lock.number("token");
		String first = wait(lock, request(B));
		String second = wait(lock, request(C));
		long before = lock.now();
		assertThat(lock.release(owner)).isEqualTo(1);
		assertHeld(lock, first);
		assertThat(lock.wire.show(lock.key)).contains("lease " + CLAIM, "mark 00000000", "kept 0", "keptFor 0",
				"permits 0", "shared 0");
		assertThat(lock.number("deadline")).isBetween(before + CLAIM, lock.now() + CLAIM);
		assertThat(lock.number("token")).isGreaterThan(token).isBetween(before * 1000, lock.now() * 1000 + 1000);
		assertThat(lock.line()).containsExactly(C);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + CLAIM);
		assertThat(lock.wakeUps()).containsExactly(message(lock, first));
		assertThat(lock.release(first)).isEqualTo(1);
		assertHeld(lock, second);
		assertThat(lock.line()).isEmpty();
		assertThat(lock.wakeUps()).containsExactly(message(lock, second));
		assertThat(lock.release(second)).isEqualTo(1);
		assertThat(lock.get("status")).isEqualTo("released");
		assertThat(lock.wakeUps()).isEmpty();
	}

	void claimedLockLivesAsLongAsTheClaimAndTheRetention(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.claim = 30_000;
		lock.waitFor(request(B));
		lock.release(owner);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void releaseByWhichALockWasGivenIsRemembered(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		wait(lock, request(B));
		lock.release(owner);
		assertThat(lock.status(owner)).isEqualTo("released");
		assertThat(lock.left("sweepAt")).isBetween(RETENTION - 5_000, RETENTION);
		assertThat(lock.release(owner)).isEqualTo(1);
		assertThat(lock.release(twin(owner))).isZero();
		assertThat(lock.acquire(owner)).isEqualTo(List.of(2L));
	}

	void sweepThatIsDueEarlierStaysDue(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		wait(lock, request(B));
		lock.set("sweepAt", lock.now() + 3_000);
		lock.release(owner);
		assertThat(lock.left("sweepAt")).isLessThanOrEqualTo(3_000);
	}

	void claimOfTheSameContenderLeavesNothingBehind(LockScriptHarness lock) {
		String owner = request(A, 7);
		lock.take(owner, 10_000, 0);
		String later = wait(lock, request(A, 7));
		lock.release(owner);
		assertHeld(lock, later);
		assertThat(lock.lines("last")).isEmpty();
		assertThat(lock.number("sweepAt")).isZero();
	}

	void claimedRequestThatAsksAgainGetsItsTokenAndItsLease(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = wait(lock, request(B));
		lock.release(owner);
		long token = lock.number("token");
		assertThat(lock.acquire(waiter)).isEqualTo(List.of(1L, token));
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
		assertThat(lock.renew(waiter, 20_000)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(15_000L, 20_000L);
	}

	void renewalMakesALeaseOfAClaim(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = wait(lock, request(B));
		lock.release(owner);
		assertThat(lock.renew(waiter, 20_000)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(15_000L, 20_000L);
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(0L);
	}

	void claimedLockIsBusyUntilTheClaimIsOver(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = wait(lock, request(B));
		lock.release(owner);
		List<Object> answer = lock.acquire(request(C));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(1L, CLAIM);
		assertThat(answer.get(2)).isEqualTo(B);
		lock.expire();
		lock.take("X", C);
		assertThat(lock.acquire(waiter)).isEqualTo(List.of(2L));
		assertThat(lock.renew(waiter, 20_000)).isEqualTo(EXPIRED);
	}

	void tokenOfAClaimIsAboveAllThatWereGivenAndThatTheWaiterHasSeen(LockScriptHarness lock) {
		long future = lock.now() * 1000 + 50_000_000;
		lock.spareTokens = 10;
		String owner = request(A);
		lock.acquire(owner, 10_000, 0, future, 0);
		assertThat(lock.number("token")).isEqualTo(future + 11);
		lock.spareTokens = 0;
		String first = wait(lock, request(B));
		lock.claim = CLAIM;
		String second = request(C);
		lock.acquire(second, 10_000, 0, future + 100, 5_000);
		lock.release(owner);
		assertThat(lock.number("token")).isEqualTo(future + 12);
		lock.release(first);
		assertHeld(lock, second);
		assertThat(lock.number("token")).isEqualTo(future + 101);
	}

	void waiterThatAsksAgainWithoutAClaimIsWoken(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = wait(lock, request(B));
		lock.claim = 0;
		lock.waitFor(waiter);
		lock.release(owner);
		assertThat(lock.status(owner)).isEqualTo("released");
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.line()).containsExactly(B);
		assertThat(lock.lines("claim")).isEmpty();
	}

	void entryOfAnInstanceThatWithdrewARequestHasNoClaim(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = wait(lock, request(B));
		lock.withdraw(waiter);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.line()).containsExactly(B);
	}

	void laterRequestHasTheClaimOfItsInstanceInItsPlace(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		wait(lock, request(B, 7));
		wait(lock, request(C));
		String later = wait(lock, request(B, 7));
		lock.release(owner);
		assertHeld(lock, later);
	}

	void entryThatIsOverHasNoClaim(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.claim = CLAIM;
		lock.acquire(request(B), 10_000, 0, 0, 1);
		Awaitility.await()
			.pollInterval(Duration.ofMillis(2))
			.until(() -> lock.lines("waiter")
				.stream()
				.allMatch((line) -> Long.parseLong(line.split(" ")[1]) <= lock.now()));
		String waiter = wait(lock, request(C));
		lock.release(owner);
		assertHeld(lock, waiter);
	}

	void abandonedClaimGoesToTheNext(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String first = wait(lock, request(B));
		String second = wait(lock, request(C));
		lock.release(owner);
		long token = lock.number("token");
		assertThat(lock.abandon(first)).isEqualTo(1);
		assertHeld(lock, second);
		assertThat(lock.status(first)).isEqualTo("gone");
		assertThat(lock.wakeUps()).containsExactly(message(first, token), message(lock, second));
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + CLAIM);
	}

	void abandonedWaiterGetsNoClaim(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.abandon(wait(lock, request(B)));
		lock.release(owner);
		assertThat(lock.status(owner)).isEqualTo("released");
		assertThat(lock.wakeUps()).isEmpty();
	}

	void abandonLeavesTheEntryOfALaterRequest(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String earlier = wait(lock, request(B, 7));
		wait(lock, request(B, 7));
		lock.abandon(earlier);
		assertThat(lock.line()).containsExactly(B);
		lock.abandon(request(B, 8));
		assertThat(lock.line()).containsExactly(B);
		lock.abandon(request(B, 7));
		assertThat(lock.line()).isEmpty();
		lock.abandon(twin(wait(lock, request(B, 7))));
		assertThat(lock.line()).isEmpty();
		assertThat(lock.status(owner)).isEqualTo("held");
	}

	void instanceThatWithdrawsAnEarlierRequestIsInLineOnce(LockScriptHarness lock) {
		lock.take("X", A);
		String earlier = wait(lock, request(B, 7));
		wait(lock, request(B, 7));
		lock.withdraw(earlier);
		assertThat(lock.line()).containsExactly(B);
		assertThat(lock.lines("claim")).isEmpty();
	}

	void abandonOfAnOlderRequestLeavesAClaimThatIsInUse(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String earlier = wait(lock, request(B, 7));
		String later = wait(lock, request(B, 7));
		lock.release(owner);
		lock.abandon(earlier);
		assertHeld(lock, later);
	}

	/** A note about a contender from the same command is not overwritten. */
	void abandonByTheLastContenderIsRememberedBesideAClaim(LockScriptHarness lock) {
		String owner = request(A, 7);
		lock.take(owner, 10_000, 0);
		String waiter = wait(lock, request(B));
		lock.expire();
		String later = request(A, 7);
		lock.abandon(later);
		assertHeld(lock, waiter);
		assertThat(lock.acquire(later)).isEqualTo(List.of(2L));
		assertThat(lock.status(later)).isEqualTo("gone");
	}

	void claimWorksWhenMemoryIsUsedUp(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String waiter = wait(lock, request(B));
		lock.fillMemory();
		assertThat(lock.release(owner)).isEqualTo(1);
		assertHeld(lock, waiter);
	}

	void lockIsFreeWhereTheWaiterMayNotBeTold(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		wait(lock, request(B));
		wait(lock, request(C));
		lock.redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.PUBLISH));
		assertThat(lock.release(owner)).isEqualTo(1);
		assertThat(lock.status(owner)).isEqualTo("released");
		assertThat(lock.lines("waiter").get(1)).startsWith(B).endsWith("woken");
		assertThat(lock.redis.pttl(lock.key)).isLessThanOrEqualTo(RETENTION);
	}

	void lastReaderThatReleasesGivesTheLock(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		String waiter = wait(lock, request(B));
		assertThat(lock.release(reader)).isEqualTo(1);
		assertHeld(lock, waiter);
		assertThat(lock.status(reader)).isEqualTo("released");
		assertThat(lock.wakeUps()).containsExactly(message(lock, waiter));
	}

	void claimOfALockThatWasKeptIsNotKept(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 30_000);
		String waiter = wait(lock, request(B));
		lock.abandon(owner);
		assertHeld(lock, waiter);
		assertThat(lock.wire.show(lock.key)).contains("kept 0", "keptFor 0");
	}

	void lockOfAClaimIsKeptFromTheNextAttemptOn(LockScriptHarness lock) {
		String waiter = giveToOneThatKeeps(lock, request(B));
		long token = lock.number("token");
		assertThat(lock.wire.show(lock.key)).contains("lease " + CLAIM, "kept 0", "keptFor 1");
		assertThat(lock.redis.pttl(lock.key)).isLessThanOrEqualTo(RETENTION + CLAIM);
		assertThat(lock.acquire(waiter, 10_000, 30_000, 0, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.left("kept")).isBetween(25_000L, 30_000L);
		assertThat(lock.get("keptFor")).isEqualTo("30000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
		assertThat(lock.release(waiter)).isEqualTo(1);
		assertThat(lock.status(waiter)).isEqualTo("released");
		assertThat((Long) lock.acquire(request(C)).get(1)).isBetween(20_000L, 30_000L);
	}

	void copyOfTheAttemptDoesNotKeepTheLockLonger(LockScriptHarness lock) {
		String waiter = giveToOneThatKeeps(lock, request(B));
		lock.acquire(waiter, 10_000, 30_000, 0, 0);
		lock.set("kept", lock.now() + 5_000);
		lock.acquire(waiter, 10_000, 30_000, 0, 0);
		assertThat(lock.left("kept")).isLessThanOrEqualTo(5_000);
	}

	void claimOfOneThatKeepsIsOverWithItsLease(LockScriptHarness lock) {
		giveToOneThatKeeps(lock, request(B));
		lock.expire();
		String next = lock.take("X", C);
		assertThat(lock.wire.show(lock.key)).contains("kept 0", "keptFor 0");
		assertThat(lock.release(next)).isEqualTo(1);
	}

	void claimOfOneThatKeepsCanBeAbandonedAndRenewed(LockScriptHarness lock) {
		String waiter = giveToOneThatKeeps(lock, request(B));
		assertThat(lock.renew(waiter, 20_000)).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("kept 0", "keptFor 1");
		assertThat(lock.abandon(waiter)).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("status gone", "kept 0", "keptFor 0");
	}

	void releaseOfOneThatNeverKeptFreesTheLock(LockScriptHarness lock) {
		String waiter = giveToOneThatKeeps(lock, request(B));
		assertThat(lock.release(waiter)).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("status released", "kept 0", "keptFor 0");
	}

	private static String giveToOneThatKeeps(LockScriptHarness lock, String waiter) {
		String owner = lock.take("X", A);
		lock.claim = CLAIM;
		lock.acquire(waiter, 10_000, 30_000, 0, 5_000);
		assertThat(lock.lines("claim")).containsExactly(waiter + " " + CLAIM + " keeps");
		assertThat(lock.release(owner)).isEqualTo(1);
		assertHeld(lock, waiter);
		return waiter;
	}

	private static String wait(LockScriptHarness lock, String request) {
		lock.claim = CLAIM;
		return lock.waitAgain("X", request);
	}

	private static void assertHeld(LockScriptHarness lock, String request) {
		assertThat(lock.wire.show(lock.key)).contains("status held", "owner " + request);
		assertThat(lock.left("deadline")).isPositive();
	}

	private static String message(LockScriptHarness lock, String request) {
		return message(request, lock.number("token"));
	}

	private static String message(String request, long token) {
		return request.substring(0, 16) + " k\n" + request + "\n" + token;
	}

}
