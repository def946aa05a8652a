package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the scripts must do with those that are to be served in order.
 */
class FairChecks {

	void fairLockIsAnExclusiveOne(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.come("F", request);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "o", "t", "x", "l").containsEntry("m", "X");
		assertThat(lock.acquire("F", request)).isEqualTo(List.of(1L, token));
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.acquire("F", request)).isEqualTo(List.of(2L));
	}

	void waitersAreWokenAndServedInOrder(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		List<String> waiting = List.of(lock.waitFor("F", C), lock.waitFor("F", B), lock.waitFor("F", C));
		assertThat(lock.field("i")).isEqualTo("3");
		assertThat(lock.field("q" + waiting.get(1))).endsWith(":5000:2");
		assertThat(lock.field("z")).isEqualTo("1");
		assertThat(lock.field("w")).isNull();
		lock.waitAgain("F", waiting.get(0));
		assertThat(lock.field("q" + waiting.get(0))).as("keeps its place").endsWith(":5000:1");
		assertThat(lock.field("i")).isEqualTo("3");
		lock.release(owner);
		for (int i = 0; i < 3; i++) {
			String next = waiting.get(i);
			assertThat(lock.wakeUps()).containsExactly(next.substring(0, 16) + " k\n" + next);
			waiting.subList(i + 1, 3).forEach((other) -> lock.waitAgain("F", other));
			lock.come("F", next);
			assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("q" + next);
			lock.release(next);
		}
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "e", "i");
	}

	void tenthWaiterComesAfterTheNinth(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.redis.hset(lock.key, "i", "8");
		String ninth = lock.waitFor("F", B);
		lock.waitFor("F", C);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + ninth);
	}

	void nobodyOvertakesAWaiter(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor("X", A);
		String waiting = lock.waitFor("F", B);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + waiting);
		for (String mode : List.of("X", "F", "R")) {
			List<Object> answer = lock.acquire(mode, request(C));
			assertThat(answer.get(0)).isEqualTo(0L);
			assertThat((Long) answer.get(1)).isBetween(1L, 5_000L);
			assertThat(answer.get(2)).isEqualTo("");
		}
		assertThat(lock.field("w")).startsWith(A);
		lock.come("F", waiting);
		assertThat(lock.field("w")).as("the word of another").startsWith(A);
	}

	void fairOneLeavesTheWordOfItsInstance(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor("X", B);
		String waiting = lock.waitFor("F", B);
		lock.abandon(lock.waitFor("F", B));
		assertThat(lock.field("w")).startsWith(B);
		lock.release(owner);
		lock.come("F", waiting);
		assertThat(lock.field("w")).startsWith(B);
	}

	void oneThatDoesNotWaitTakesNoTicket(LockScriptHarness lock) {
		lock.take("F", A);
		lock.acquire("F", request(B));
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "o", "t", "x", "l");
	}

	void deadWaitersArePrunedTogether(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String dead = lock.waitFor("F", B);
		String deadToo = lock.waitFor("F", B);
		String alive = lock.waitFor("F", C);
		lock.shift("q" + dead, -1);
		lock.shift("q" + deadToo, -1);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + alive);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("q" + dead, "q" + deadToo);
		lock.waitAgain("F", dead);
		assertThat(lock.field("q" + dead)).endsWith(":4");
		lock.come("F", alive);
	}

	void deadWaiterThatComesAgainStandsAtTheEnd(LockScriptHarness lock) {
		lock.take("F", A);
		String dead = lock.waitFor("F", B);
		lock.waitFor("F", C);
		lock.shift("q" + dead, -1);
		lock.waitAgain("F", dead);
		assertThat(lock.field("q" + dead)).endsWith(":3");
		lock.shift("q" + dead, -1);
		lock.expire();
		lock.waitAgain("F", dead);
		assertThat(lock.field("q" + dead)).endsWith(":4");
	}

	void wordIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String dead = lock.waitFor("F", B);
		lock.release(owner);
		lock.shift("q" + dead, 3_600_000);
		assertThat((Long) lock.acquire("X", request(C)).get(1)).isBetween(1L, 5_000L);
		assertThat(lock.rest("q" + dead)).isBetween(1L, 5_000L);
	}

	void waiterThatGivesUpPassesItsTurnOn(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String gone = lock.waitFor("F", B);
		String next = lock.waitFor("F", C);
		lock.abandon(lock.waitFor("F", C));
		assertThat(lock.wakeUps()).isEmpty();
		lock.release(owner);
		lock.wakeUps();
		lock.abandon(gone);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + next);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("q" + gone);
		assertThat(lock.acquire("F", gone, 10_000, 5_000)).isEqualTo(List.of(2L));
		lock.come("F", next);
	}

	void readersComeBeforeAFairWaiterAndItAfterTheLast(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String waiting = lock.waitFor("F", B);
		String reader = lock.waitFor("R", C);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		lock.waitAgain("F", waiting);
		lock.come("R", reader);
		lock.waitAgain("F", waiting);
		lock.waitFor("R", A);
		lock.release(reader);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + waiting);
		lock.come("F", waiting);
	}

	void waiterForSeveralStandsInEveryLine(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.acquire("F", keys.subList(1, 2), request(A), 10_000, 0);
		String waiting = request(B);
		lock.fillMemory();
		assertThat(lock.acquire("F", keys, waiting, 10_000, 5_000).get(3)).isEqualTo(1L);
		lock.emptyMemory();
		for (String key : keys) {
			assertThat(lock.redis.hget(key, "q" + waiting)).endsWith(":5000:1");
			assertThat(lock.redis.hget(key, "m")).isEqualTo("X");
			assertThat(lock.redis.pttl(key)).isGreaterThanOrEqualTo(RETENTION + 4_000);
			assertThat(lock.acquire("F", List.of(key), request(C), 10_000, 0).get(0)).isEqualTo(0L);
		}
		lock.abandon(keys, waiting);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "i", "a");
		assertThat(lock.acquire("F", keys.subList(0, 1), request(C), 10_000, 0).get(0)).isEqualTo(1L);
	}

	void successorOfAnOwnerStandsBeforeAllOthers(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String gone = lock.waitFor("F", B);
		String waiting = lock.waitFor("F", B);
		String reader = lock.waitFor("R", C);
		lock.abandon(gone);
		String next = request(A);
		assertThat(lock.replace(owner, next)).isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.field("q" + next)).endsWith(":5000:1");
		assertThat(lock.rest("q" + next)).isBetween(1L, 5_000L);
		assertThat(lock.redis.hgetall(lock.key)).containsKey("v" + reader).doesNotContainKeys("o", "w", "g" + reader);
		lock.waitAgain("F", waiting);
		assertThat(lock.acquire("F", owner)).isEqualTo(List.of(2L));
		lock.come("F", next);
		assertThat(lock.redis.hgetall(lock.key)).containsKey("q" + waiting).doesNotContainKey("q" + next);
	}

	void successorOfAnOwnerThatNobodyWaitedForKeepsOthersOut(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String owner = request(A);
		lock.acquire("F", keys, owner, 10_000, 0);
		String next = request(A);
		assertThat(lock.replace(keys, owner, next)).isEqualTo(1);
		for (String key : keys) {
			assertThat(lock.redis.hget(key, "q" + next)).endsWith(":5000:0");
			assertThat(lock.redis.hget(key, "z")).isEqualTo("1");
			assertThat(lock.acquire("X", List.of(key), request(C), 10_000, 0).get(0)).isEqualTo(0L);
		}
		assertThat(lock.acquire("F", keys, next, 10_000, 0).get(0)).isEqualTo(1L);
	}

	void successorThatHasGivenUpPassesItsTurnOn(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String reader = lock.waitFor("R", C);
		String next = request(A);
		lock.abandon(next);
		lock.replace(owner, next);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(lock.redis.hgetall(lock.key)).containsKey("g" + reader).doesNotContainKeys("q" + next, "o", "w");
	}

	void successorOfARequestThatIsNotTheOwnerHasNoPlace(LockScriptHarness lock) {
		lock.take("F", A);
		String next = request(B);
		assertThat(lock.replace(request(B), next)).isZero();
		assertThat(lock.redis.hgetall(lock.key)).containsKey("o").doesNotContainKeys("q" + next, "w");
	}

	void waiterForSeveralTurnsAnEmptySemaphoreIntoALock(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String permit = lock.take("S", A);
		lock.release(permit);
		lock.acquire("F", keys.subList(1, 2), request(A), 10_000, 0);
		assertThat(lock.acquire("F", keys, request(B), 10_000, 5_000).get(0)).isEqualTo(0L);
		assertThat(lock.redis.hgetall(lock.key)).containsEntry("m", "X").doesNotContainKey("p");
	}

}
