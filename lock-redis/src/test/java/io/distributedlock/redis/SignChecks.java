package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks of fair requests whose entries last as long as their instance gives signs of
 * life.
 */
class SignChecks {

	private static final long CLAIM = 800;

	void attemptIsASignOfLife(LockScriptHarness lock) {
		lock.take("F", A);
		lock.claim = CLAIM;
		String first = request(B);
		assertThat(lock.acquire("F", first, 10_000, 5_000)).as("new in line").hasSize(4);
		assertThat(lock.acquire("F", first, 10_000, 5_000)).as("says that it is woken").hasSize(5);
		assertThat(lock.lines("fair")).hasSize(1).allMatch((line) -> line.startsWith(first + " 1 0 "));
		assertThat(lock.lines("fair").get(0)).endsWith(" " + lock.signSince(B));
		assertThat(lock.signEnd(B)).isBetween(lock.now() + 3_000, lock.now() + 5_000);
		assertThat(lock.left("sweepAt")).isBetween(RETENTION - 2_000L, RETENTION);
		assertThat(lock.acquire("F", request(C))).as("without an entry").hasSize(4);
		lock.claim = 0;
		String second = request(C);
		lock.acquire("F", second, 10_000, 5_000);
		assertThat(lock.acquire("F", second, 10_000, 5_000)).as("without a claim").hasSize(4);
		assertThat(lock.lines("sign")).hasSize(1);
	}

	void signOfOneRequestKeepsThePlacesOfAll(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		String first = lock.waitFor("F", B);
		String other = lock.waitFor("F", C);
		String second = lock.waitFor("F", B);
		lock.shiftSign(B, 500);
		lock.waitAgain("F", second);
		assertThat(lock.signEnd(B)).isGreaterThan(lock.now() + 3_000);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + first);
		assertThat(lock.queue()).containsExactly(first, other, second);
		lock.come("F", first);
	}

	void requestsWithoutASignEndTogether(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		lock.waitFor("F", B);
		lock.waitFor("F", B);
		String other = lock.waitFor("F", C);
		String third = lock.waitFor("F", B);
		lock.shiftSign(B, -1);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + other);
		assertThat(lock.queue()).containsExactly(other, third);
		lock.redis.hdel(lock.key, "i" + LockScriptHarness.bytes(B));
		lock.come("F", other);
		lock.release(other);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.queue()).isEmpty();
	}

	/** Its other requests may have given up in vain meanwhile, and came to life again. */
	void signThatIsLateIsTheFirstOfANewRow(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		String other = lock.waitFor("F", C);
		lock.waitFor("F", B);
		String living = lock.waitFor("F", B);
		lock.shiftSign(B, -1);
		lock.awaitNextMillisecond();
		assertThat(lock.acquire("F", living, 10_000, 5_000)).as("new in line").hasSize(4);
		assertThat(lock.acquire("F", living, 10_000, 5_000)).as("in line").hasSize(5).endsWith(lock.signSince(B));
		lock.release(owner);
		lock.come("F", other);
		lock.wakeUps();
		lock.release(other);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + living);
		assertThat(lock.queue()).containsExactly(living);
	}

	/** The end of the sign before was its deadline, which may have been very near. */
	void requestWokenByOneOfItsInstanceHasTheTimeOfTheNewSign(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		String dead = lock.waitFor("F", C);
		String next = lock.waitFor("F", B);
		String second = lock.waitFor("F", B);
		lock.release(owner);
		lock.shiftPlace(dead, -1);
		lock.shiftSign(B, 500);
		lock.waitAgain("F", second);
		assertThat(lock.lines("fair")).startsWith(next + " 2 " + lock.signEnd(B));
		assertThat(lock.signEnd(B)).isGreaterThan(lock.now() + 3_000);
	}

	void wokenRequestHasToAttemptBeforeTheLastSignEnds(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		String first = lock.waitFor("F", B);
		String second = lock.waitFor("F", B);
		long sign = lock.signEnd(B);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + first);
		assertThat(lock.lines("fair")).startsWith(first + " 1 " + sign);
		lock.waitAgain("F", second);
		assertThat(lock.lines("fair")).startsWith(first + " 1 " + sign);
		lock.shiftPlace(first, -1);
		lock.come("F", second);
	}

	void requestThatFindsTheLockFreeWakesTheNextOnce(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		String dead = lock.waitFor("F", A);
		String next = lock.waitFor("F", B);
		String third = lock.waitFor("F", C);
		lock.waitAgain("F", third);
		assertThat(lock.wakeUps()).as("held").isEmpty();
		lock.release(owner);
		lock.wakeUps();
		lock.shiftPlace(dead, -1);
		lock.acquire("X", request(C));
		lock.claim = 0;
		lock.acquire("F", request(C));
		assertThat(lock.wakeUps()).as("by others").isEmpty();
		lock.claim = CLAIM;
		lock.waitAgain("F", third);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + next);
		lock.waitAgain("F", third);
		assertThat(lock.wakeUps()).as("once").isEmpty();
		String own = request(B);
		long row = lock.signSince(B);
		assertThat(lock.acquire("F", own, 10_000, 5_000).subList(4, 6)).as("its instance is told")
			.isEqualTo(List.of(0L, next));
		assertThat(lock.acquire("F", own, 10_000, 5_000).subList(4, 6)).isEqualTo(List.of(row, next));
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.queue()).containsExactly(next, third, own);
		lock.come("F", next);
	}

	void requestForSeveralWakesTheNextOfTheBusyOne(LockScriptHarness lock) {
		List<String> keys = lock.keys().subList(0, 2);
		String owner = lock.take("F", A);
		lock.claim = CLAIM;
		String dead = lock.waitFor("F", A);
		String next = lock.waitFor("F", B);
		String several = request(C);
		lock.acquire("F", keys, several, 10_000, 5_000);
		lock.release(owner);
		lock.wakeUps();
		lock.shiftPlace(dead, -1);
		lock.acquire("F", keys, several, 10_000, 5_000);
		assertThat(lock.wakeUps()).containsExactly(B + " k\n" + next);
		assertThat(lock.queue()).as("keeps its place").containsExactly(next, several);
		assertThat(lock.wire.lines(keys.get(1), "fair")).hasSize(1)
			.allMatch((line) -> line.startsWith(several + " 1 0 "));
	}

	void signsAndPlacesWithoutThemAreSwept(LockScriptHarness lock) {
		lock.release(lock.take("X", A));
		lock.take("F", C);
		lock.claim = CLAIM;
		String left = lock.waitFor("F", B);
		String recent = lock.waitFor("F", A);
		lock.redis.del(LockOnTheWire.set("queue", lock.key));
		lock.shiftSign(B, -RETENTION - 2_000);
		lock.shiftSign(A, -RETENTION + 2_000);
		lock.move("sweepAt", -1);
		lock.abandon(request(B));
		assertThat(lock.redis.hkeys(lock.key))
			.doesNotContain("q" + LockScriptHarness.bytes(left), "i" + LockScriptHarness.bytes(B))
			.contains("q" + LockScriptHarness.bytes(recent), "i" + LockScriptHarness.bytes(A));
	}

	void requestsWithASignAreCounted(LockScriptHarness lock) {
		lock.take("F", A);
		lock.claim = CLAIM;
		lock.waitFor("F", B);
		lock.waitFor("F", B);
		lock.waitFor("F", C);
		assertThat(lock.inspect(9).get(4)).isEqualTo(3L);
		lock.shiftSign(B, -1);
		assertThat(lock.inspect(9).get(4)).isEqualTo(1L);
		lock.redis.hdel(lock.key, "i" + LockScriptHarness.bytes(C));
		assertThat(lock.inspect(9).get(4)).isEqualTo(0L);
	}

}
