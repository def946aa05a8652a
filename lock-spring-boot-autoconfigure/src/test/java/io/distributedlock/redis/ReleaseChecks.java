package io.distributedlock.redis;

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
 * What release.lua must do.
 */
class ReleaseChecks {

	void ownerFreesAndKeepsTheToken(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "e")
			.containsEntry("t", Long.toString(token))
			.containsEntry("e", ',' + request);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
	}

	void releasedRequestIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.release(request);
		assertThat(lock.acquire(request).get(0)).isEqualTo(2L);
	}

	void lastEightReleasedAreKept(LockScriptHarness lock) {
		String last = "";
		for (int i = 0; i < 10; i++) {
			last = request(A);
			lock.take(last, 10_000, 0);
			lock.release(last);
		}
		assertThat(lock.field("e")).hasSize(8 * 33).startsWith(',' + last);
	}

	void repeatedReleaseIsKnownAndLeavesTheNextHolderAlone(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.release(request);
		String next = request(B);
		lock.take(next, 10_000, 0);
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.field("o")).isEqualTo(next);
	}

	void releaseOfARequestThatLostTheLockIsTold(LockScriptHarness lock) {
		lock.take(request(B), 10_000, 0);
		assertThat(lock.release(request(A))).isZero();
	}

	void expiredOwnerFreesButIsTold(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.expire();
		assertThat(lock.release(request)).isZero();
		assertThat(lock.field("o")).isNull();
	}

	void keptLockStaysTaken(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		lock.waitFor(request(B));
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(0L);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.field("w")).startsWith(B);
	}

	void keptTimeIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 20_000);
		lock.move("k", 3_600_000);
		lock.release(request);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
	}

	void waitersAreWokenOneByOneInOrder(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.release(request);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.field("w")).as("out of the way, and in the readers'").matches(C + "\\d{13}" + B + "\\d{13}w");
		String next = request(B);
		lock.take(next, 10_000, 0);
		assertThat(lock.field("w")).startsWith(C).hasSize(29);
		lock.release(next);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		lock.take(request(C), 10_000, 0);
		assertThat(lock.field("w")).isNull();
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
		lock.redis.hset(lock.key, "w", B + "%013d".formatted(lock.now() - 1));
		lock.redis.hset(lock.key, "w", lock.field("w") + C + "%013d".formatted(lock.now() + 5_000));
		lock.release(request);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void onlyDeadWaitersAreForgotten(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.redis.hset(lock.key, "w", B + "%013d".formatted(lock.now() - 1));
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.field("w")).isNull();
	}

	void releasePassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.fillMemory();
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.field("e")).isEqualTo(',' + request);
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
