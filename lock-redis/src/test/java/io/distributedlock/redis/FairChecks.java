package io.distributedlock.redis;

import java.util.List;

import io.lettuce.core.ScriptOutputType;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks of the scripts for requests that are to be served in order.
 */
class FairChecks {

	void fairLockIsAnExclusiveOne(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.come("F", request);
		assertThat(lock.redis.hkeys(lock.key)).containsExactly("state");
		assertThat(lock.status(request)).isEqualTo("held");
		assertThat(lock.acquire("F", request)).isEqualTo(List.of(1L, token));
		assertThat(lock.release(request)).isEqualTo(1);
		assertThat(lock.acquire("F", request)).isEqualTo(List.of(2L));
	}

	void waitersAreWokenAndServedInOrder(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		List<String> waiting = List.of(lock.waitFor("F", C), lock.waitFor("F", B), lock.waitFor("F", C));
		assertThat(lock.place(waiting.get(1))).isEqualTo("2");
		assertThat(lock.get("shared")).isEqualTo("1");
		assertThat(lock.redis.pttl(LockOnTheWire.set("queue", lock.key))).isGreaterThan(RETENTION);
		assertThat(lock.line()).isEmpty();
		lock.waitAgain("F", waiting.get(0));
		assertThat(lock.place(waiting.get(0))).as("keeps its place").isEqualTo("1");
		lock.release(owner);
		for (int i = 0; i < 3; i++) {
			String next = waiting.get(i);
			assertThat(lock.wakeUps()).containsExactly(next.substring(0, 16) + " k\n" + next);
			waiting.subList(i + 1, 3).forEach((other) -> lock.waitAgain("F", other));
			lock.come("F", next);
			assertThat(lock.queue()).isEqualTo(waiting.subList(i + 1, 3));
			lock.release(next);
		}
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.hkeys(lock.key)).allMatch((name) -> name.equals("state") || name.startsWith("by"));
		assertThat(lock.get("shared")).isEqualTo("0");
	}

	void tenthWaiterComesAfterTheNinth(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String ninth = lock.waitFor("F", B);
		lock.redis.zadd(LockOnTheWire.set("queue", lock.key), 9, LockScriptHarness.bytes(ninth));
		lock.waitFor("F", C);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + ninth);
	}

	void waiterIsNotOvertaken(LockScriptHarness lock) {
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
		assertThat(lock.line()).startsWith(A);
		lock.come("F", waiting);
		assertThat(lock.line()).as("the word of another").startsWith(A);
	}

	void fairRequestKeepsTheWaiterEntryOfItsInstance(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor("X", B);
		String waiting = lock.waitFor("F", B);
		lock.abandon(lock.waitFor("F", B));
		assertThat(lock.line()).startsWith(B);
		lock.release(owner);
		lock.come("F", waiting);
		assertThat(lock.line()).startsWith(B);
	}

	void fairRequestThatDoesNotWaitTakesNoTicket(LockScriptHarness lock) {
		lock.take("F", A);
		lock.acquire("F", request(B));
		assertThat(lock.redis.hkeys(lock.key)).containsExactly("state");
	}

	void deadWaitersArePrunedTogether(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String dead = lock.waitFor("F", B);
		String deadToo = lock.waitFor("F", B);
		String alive = lock.waitFor("F", C);
		lock.shiftPlace(dead, -1);
		lock.shiftPlace(deadToo, -1);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + alive);
		assertThat(lock.queue()).containsExactly(alive);
		assertThat(lock.redis.hkeys(lock.key)).filteredOn((name) -> name.startsWith("q")).hasSize(1);
		lock.waitAgain("F", dead);
		assertThat(lock.queue()).containsExactly(alive, dead);
		lock.come("F", alive);
	}

	void deadWaiterThatComesAgainStandsAtTheEnd(LockScriptHarness lock) {
		lock.take("F", A);
		String dead = lock.waitFor("F", B);
		lock.waitFor("F", C);
		lock.shiftPlace(dead, -1);
		lock.waitAgain("F", dead);
		assertThat(lock.queue()).hasSize(2).endsWith(dead);
		lock.shiftPlace(dead, -1);
		lock.expire();
		lock.waitAgain("F", dead);
		assertThat(lock.queue()).hasSize(2).endsWith(dead);
	}

	/** The scripts waited for dead requests, one after the other. */
	void waitersWhoseEntriesEndTooLateDoNotCount(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String dead = lock.waitFor("F", B);
		String deadToo = lock.waitFor("F", B);
		lock.shiftPlace(dead, 3_600_000);
		lock.shiftPlace(deadToo, 61_000);
		String next = lock.waitFor("F", C);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + next);
		assertThat(lock.queue()).containsExactly(next);
		lock.waitAgain("F", dead);
		lock.come("F", next);
	}

	void waiterSaysUntilWhenItsEntryCounts(LockScriptHarness lock) {
		lock.take("F", A);
		lock.waitFor("F", B);
		assertThat(Long.parseLong(lock.lines("fair").get(0).split(" ")[2]) - lock.now()).isBetween(1L, 5_000L);
	}

	void deadWaitersDoNotKeepTheKey(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.shiftPlace(lock.waitFor("F", B), -1);
		lock.redis.pexpire(lock.key, 10 * RETENTION);
		lock.release(owner);
		assertThat(lock.redis.pttl(lock.key)).isLessThanOrEqualTo(RETENTION);
	}

	void waiterForSeveralThatHasLostAPlaceTakesNewOnesInAll(LockScriptHarness lock) {
		List<String> keys = lock.keys().subList(0, 2);
		lock.acquire(keys, request(A));
		String several = request(B);
		lock.acquire("F", keys, several, 10_000, 5_000);
		String one = lock.waitFor("F", C);
		lock.redis.hdel(keys.get(1), "q" + LockScriptHarness.bytes(several));
		lock.acquire("F", keys, several, 10_000, 5_000);
		assertThat(lock.queue()).containsExactly(one, several);
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
		assertThat(lock.queue()).containsExactly(next);
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
			assertThat(lock.wire.lines(key, "fair")).hasSize(1).allMatch((line) -> line.startsWith(waiting + " 1 "));
			assertThat(lock.redis.pttl(key)).isGreaterThanOrEqualTo(RETENTION + 4_000);
			assertThat(lock.acquire("F", List.of(key), request(C), 10_000, 0).get(0)).isEqualTo(0L);
		}
		lock.abandon(keys, waiting);
		assertThat(lock.queue()).isEmpty();
		assertThat(lock.status(waiting)).isEqualTo("gone");
		assertThat(lock.redis.hlen(lock.key)).isEqualTo(2);
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
		assertThat(lock.place(next)).isEqualTo("1");
		assertThat(lock.queue()).containsExactly(next, waiting);
		assertThat(lock.members("readers")).containsExactly(reader);
		assertThat(lock.members("admitted")).isEmpty();
		assertThat(lock.line()).isEmpty();
		assertThat(lock.status(owner)).isEqualTo("gone");
		lock.waitAgain("F", waiting);
		assertThat(lock.acquire("F", owner)).isEqualTo(List.of(2L));
		lock.come("F", next);
		assertThat(lock.queue()).containsExactly(waiting);
	}

	void successorOfAnOwnerWithoutWaitersKeepsOthersOut(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String owner = request(A);
		lock.acquire("F", keys, owner, 10_000, 0);
		String next = request(A);
		assertThat(lock.replace(keys, owner, next)).isEqualTo(1);
		for (String key : keys) {
			assertThat(lock.wire.lines(key, "fair")).hasSize(1).allMatch((line) -> line.startsWith(next + " 0 "));
			assertThat(lock.wire.get(key, "shared")).isEqualTo("1");
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
		assertThat(lock.members("admitted")).containsExactly(reader);
		assertThat(lock.queue()).isEmpty();
		assertThat(lock.line()).isEmpty();
	}

	void successorOfARequestThatIsNotTheOwnerHasNoPlace(LockScriptHarness lock) {
		lock.take("F", A);
		String next = request(B);
		assertThat(lock.replace(request(B), next)).isZero();
		assertThat(lock.get("status")).isEqualTo("held");
		assertThat(lock.queue()).isEmpty();
		assertThat(lock.line()).isEmpty();
	}

	void waiterForSeveralTurnsAnEmptySemaphoreIntoALock(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String permit = lock.take("S", A);
		lock.release(permit);
		lock.acquire("F", keys.subList(1, 2), request(A), 10_000, 0);
		assertThat(lock.acquire("F", keys, request(B), 10_000, 5_000).get(0)).isEqualTo(0L);
		assertThat(lock.get("permits")).isEqualTo("0");
	}

	/** They went all at once: 5,000 took 13 ms. */
	void deadFairWaitersGoSomeAtATimeAndNoneOvertakesThoseBehind(LockScriptHarness lock) {
		String queue = LockOnTheWire.set("queue", lock.key);
		String owner = lock.take("F", A);
		String waiter = lock.waitFor("F", B);
		addDeadWaiters(lock, 1_100);
		lock.release(owner);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.zcard(queue)).isBetween(550L, 650L);
		assertThat(lock.acquire("R", request(C)).subList(0, 3)).isEqualTo(List.of(0L, 1L, ""));
		assertThat((Long) lock.acquire("F", request(C)).get(1)).isGreaterThan(1L);
		assertThat(lock.queue()).containsExactly(waiter);
		lock.come("F", waiter);
	}

	void successorComesBeforeTheDeadWaitersThatAreLeft(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.waitFor("F", B);
		addDeadWaiters(lock, 1_100);
		String successor = request(A);
		lock.replace(owner, successor);
		assertThat(lock.queue()).hasSizeBetween(550, 650).startsWith(successor);
		lock.come("F", successor);
	}

	void placesThatAreLeftOfAQueueAreSwept(LockScriptHarness lock) {
		lock.release(lock.take("X", A));
		lock.take("F", C);
		String left = lock.waitFor("F", B);
		String recent = lock.waitFor("F", A);
		lock.redis.del(LockOnTheWire.set("queue", lock.key));
		lock.shiftPlace(left, -RETENTION - 2_000);
		lock.shiftPlace(recent, -RETENTION + 2_000);
		lock.move("sweepAt", -1);
		lock.abandon(request(B));
		assertThat(lock.redis.hkeys(lock.key)).doesNotContain("q" + LockScriptHarness.bytes(left))
			.contains("q" + LockScriptHarness.bytes(recent));
	}

	private static void addDeadWaiters(LockScriptHarness lock, int number) {
		String script = "for i = 1, tonumber(ARGV[1]) do redis.call('ZADD', KEYS[1], i - 10000, 'deaddeaddead' .. 1000 + i) end";
		lock.redis.eval(script, ScriptOutputType.STATUS, new String[] { LockOnTheWire.set("queue", lock.key) },
				Integer.toString(number));
	}

}
