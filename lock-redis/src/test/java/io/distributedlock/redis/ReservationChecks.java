package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How acquire.lua reserves the locks of a set one after the other. A claim is as long as
 * a lease here, so that none runs out during a check.
 */
class ReservationChecks {

	private static final long CLAIM = 10_000;

	void firstBusyLockOfASetIsReserved(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String set = wait(lock, keys(lock, 0), 0);
		assertThat(lock.line()).containsExactly(B);
		lock.release(owner);
		assertThat(shown(lock, 0)).contains("status held", "owner " + set, "kept 0", "keptFor 1");
		assertThat(shown(lock, 1)).doesNotContain("status held");
		long token = lock.number("token");
		List<Object> answer = attempt(lock, keys(lock, 0), set);
		assertThat(answer.get(0)).isEqualTo(1L);
		assertThat((Long) answer.get(1)).isGreaterThan(token);
		for (int i = 0; i < 2; i++) {
			assertThat(shown(lock, i)).contains("status held", "owner " + set, "kept 0", "keptFor 0",
					"token " + answer.get(1));
		}
		assertThat(attempt(lock, keys(lock, 0), set)).isEqualTo(answer);
		assertThat(lock.release(keys(lock, 0), set)).isEqualTo(1);
	}

	void setOfWhichAllIsReservedGetsANewToken(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String other = takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		assertThat(attempt(lock, keys(lock, 0), set).get(3)).isEqualTo(1L);
		lock.release(keys(lock, 1), other);
		assertThat(shown(lock, 1)).contains("owner " + set, "keptFor 1");
		long token = Math.max(lock.number("token"), numberOfSecond(lock, "token"));
		List<Object> answer = attempt(lock, keys(lock, 0), set);
		assertThat((Long) answer.get(1)).isGreaterThan(token);
		assertThat(shown(lock, 0)).contains("token " + answer.get(1), "keptFor 0");
		assertThat(shown(lock, 1)).contains("token " + answer.get(1), "keptFor 0");
	}

	void timeToKeepASetBeginsWhenItHasAll(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String other = takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		attempt(lock, keys(lock, 0), set);
		assertThat(lock.number("kept")).isZero();
		lock.release(keys(lock, 1), other);
		assertThat(lock.acquire(keys(lock, 0), set, 10_000, 20_000, 0, 0).get(0)).isEqualTo(1L);
		assertThat(lock.left("kept")).isBetween(15_000L, 20_000L);
	}

	void reservedLockIsLengthenedAndNeverShortened(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		lock.acquire(keys(lock, 0), set, 30_000, 0, 0, 5_000);
		assertThat(lock.left("deadline")).isBetween(25_000L, 30_000L);
		assertThat(lock.number("lease")).isBetween(25_000L, 30_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
		lock.acquire(keys(lock, 0), set, 1_000, 0, 0, 5_000);
		assertThat(lock.left("deadline")).isBetween(25_000L, 30_000L);
		assertThat(lock.number("lease")).isBetween(25_000L, 30_000L);
		assertThat(shown(lock, 0)).contains("keptFor 1");
	}

	void reservedLockAfterTheBusyOneIsPassedOn(LockScriptHarness lock) {
		String other = takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 1);
		lock.claim = CLAIM;
		String next = request(C);
		assertThat(lock.acquire(keys(lock, 1), next, 10_000, 0, 0, 5_000).get(0)).isEqualTo(0L);
		String owner = lock.take("X", A);
		lock.release(keys(lock, 1), other);
		assertThat(shown(lock, 1)).contains("owner " + set);
		assertThat(attempt(lock, keys(lock, 0), set).get(3)).isEqualTo(0L);
		assertThat(shown(lock, 1)).contains("status held", "owner " + next);
		assertThat(lock.line()).containsExactly(B);
		assertThat(lock.release(keys(lock, 1), next)).isEqualTo(1);
		lock.release(owner);
		assertThat(attempt(lock, keys(lock, 0), set).get(0)).isEqualTo(1L);
	}

	void lockThatIsPassedOnToNoWaiterIsFree(LockScriptHarness lock) {
		String other = takeSecond(lock, A);
		String earlier = request(B, 7);
		String set = request(B, 7);
		lock.claim = CLAIM;
		attempt(lock, keys(lock, 0), set);
		lock.take("X", A);
		lock.release(keys(lock, 1), other);
		attempt(lock, keys(lock, 0), set);
		assertThat(shown(lock, 1)).contains("status gone", "lease 0", "kept 0", "keptFor 0");
		assertThat(lock.acquire(keys(lock, 1), earlier)).as("a late copy").isEqualTo(List.of(2L));
		assertThat(lock.acquire(keys(lock, 1), set).get(0)).as("not ended").isEqualTo(1L);
	}

	void reservedLockIsPassedOnWhileTheBusyOneIsOnlyKept(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String other = request(A);
		assertThat(lock.acquire(keys(lock, 1), other, 10_000, 20_000, 0, 0).get(0)).isEqualTo(1L);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		attempt(lock, keys(lock, 0), set);
		assertThat(shown(lock, 0)).contains("status held", "owner " + set);
		lock.release(keys(lock, 1), other);
		assertThat(attempt(lock, keys(lock, 0), set).get(3)).isEqualTo(1L);
		assertThat(shown(lock, 0)).contains("status gone");
	}

	void reservedLockStaysReservedWhileReadersComeFirst(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String other = takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		attempt(lock, keys(lock, 0), set);
		assertThat(lock.acquire("R", keys(lock, 1), request(C), 10_000, 5_000).get(0)).isEqualTo(0L);
		lock.release(keys(lock, 1), other);
		assertThat(attempt(lock, keys(lock, 0), set).get(3)).isEqualTo(1L);
		assertThat(shown(lock, 0)).contains("status held", "owner " + set);
	}

	void requestThatCanOnlyBeWokenKeepsNothingReserved(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		lock.claim = 0;
		attempt(lock, keys(lock, 0), set);
		assertThat(shown(lock, 0)).contains("status gone");
	}

	void reservedLockIsPassedOnWhileTheBusyOneIsOnlyReserved(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String other = takeSecond(lock, A);
		assertThat(lock.acquire(lock.keys().subList(2, 3), request(A)).get(0)).isEqualTo(1L);
		String set = wait(lock, keys(lock, 0), 0);
		List<String> later = lock.keys().subList(1, 3);
		String blocking = request(C);
		attempt(lock, later, blocking);
		lock.release(keys(lock, 1), other);
		assertThat(attempt(lock, later, blocking).get(3)).isEqualTo(1L);
		assertThat(shown(lock, 1)).contains("status held", "owner " + blocking, "keptFor 1");
		lock.release(owner);
		assertThat(attempt(lock, keys(lock, 0), set).get(3)).isEqualTo(1L);
		assertThat(shown(lock, 0)).contains("status gone");
	}

	void setWaitsInTheLineOfOneLockOnly(LockScriptHarness lock) {
		takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 1);
		lock.take("X", A);
		assertThat(attempt(lock, keys(lock, 0), set).get(3)).isEqualTo(0L);
		assertThat(shown(lock, 0)).anySatisfy((line) -> assertThat(line).startsWith("waiter " + B));
		assertThat(shown(lock, 1)).noneSatisfy((line) -> assertThat(line).startsWith("waiter"));
	}

	void setThatHasLostAReservedLockIsRefused(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		takeSecond(lock, A);
		String set = wait(lock, keys(lock, 0), 0);
		lock.release(owner);
		attempt(lock, keys(lock, 0), set);
		lock.move("deadline", -20_000);
		assertThat(attempt(lock, keys(lock, 0), set)).isEqualTo(List.of(2L));
		lock.abandon(keys(lock, 0), set);
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(1L);
	}

	private static List<String> keys(LockScriptHarness lock, int from) {
		return lock.keys().subList(from, 2);
	}

	private static String takeSecond(LockScriptHarness lock, String instance) {
		String owner = request(instance);
		assertThat(lock.acquire(keys(lock, 1), owner).get(0)).isEqualTo(1L);
		return owner;
	}

	/** Wait for a set, and find one of its locks busy. */
	private static String wait(LockScriptHarness lock, List<String> keys, long busy) {
		String request = request(B);
		lock.claim = CLAIM;
		List<Object> answer = attempt(lock, keys, request);
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat(answer.get(3)).isEqualTo(busy);
		return request;
	}

	private static List<Object> attempt(LockScriptHarness lock, List<String> keys, String request) {
		return lock.acquire(keys, request, 10_000, 0, 0, 5_000);
	}

	private static List<String> shown(LockScriptHarness lock, int key) {
		return lock.wire.show(lock.keys().get(key));
	}

	private static long numberOfSecond(LockScriptHarness lock, String field) {
		return shown(lock, 1).stream()
			.filter((line) -> line.startsWith(field + " "))
			.mapToLong((line) -> Long.parseLong(line.substring(field.length() + 1)))
			.findFirst()
			.orElseThrow();
	}

}
