package io.distributedlock.redis;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The checks of the scripts with several locks.
 */
class TogetherChecks {

	private static final List<Object> REFUSED = List.of(2L);

	void allAreTakenWithOneTokenAboveAllOfTheirs(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.wire.set(keys.get(1), "token", last);
		lock.wire.set(keys.get(2), "token", last - 1);
		String request = request(A);
		assertThat(lock.acquire(keys, request, 10_000, 30_000, 0, 0)).isEqualTo(List.of(1L, last + 1));
		for (String key : keys) {
			assertThat(lock.redis.hkeys(key)).containsExactly("state");
			assertThat(lock.wire.show(key)).contains("status held", "owner " + request, "token " + (last + 1),
					"keptFor 30000");
			assertThat(lock.redis.pttl(key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
		}
	}

	void firstBusyKeyIsNamedAndNothingElseChanges(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.acquire(keys.subList(1, 2), request(B));
		lock.acquire(keys.subList(2, 3), request(C));
		List<Object> answer = lock.acquire(keys, request(A), 10_000, 0, 0, 5_000);
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat(answer.subList(2, 4)).isEqualTo(List.of(B, 1L));
		assertThat(lock.redis.exists(keys.get(0))).isZero();
		assertThat(lock.wire.lines(keys.get(1), "waiter")).hasSize(1).allMatch((line) -> line.startsWith(A));
		assertThat(lock.wire.lines(keys.get(2), "waiter")).isEmpty();
	}

	void repeatedRequestKeepsTokenAndLengthensAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		Object token = lock.acquire(keys, request).get(1);
		assertThat(lock.acquire(keys, request, 20_000, 0, 0, 0)).isEqualTo(List.of(1L, token));
		for (String key : keys) {
			assertThat(Long.parseLong(lock.wire.get(key, "deadline")) - lock.now()).isBetween(15_000L, 20_000L);
			assertThat(lock.wire.get(key, "lease")).isEqualTo("20000");
			assertThat(lock.redis.pttl(key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		}
	}

	void releasedKeyRefusesAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys.subList(1, 2), request);
		lock.release(keys.subList(1, 2), request);
		assertThat(lock.acquire(keys, request)).isEqualTo(REFUSED);
		assertThat(lock.redis.exists(keys.get(0), keys.get(2))).isZero();
	}

	void abandonedKeyRefusesAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.abandon(keys.subList(2, 3), request);
		lock.acquire(keys.subList(0, 1), request(B));
		assertThat(lock.acquire(keys, request)).as("rather than busy").isEqualTo(REFUSED);
	}

	void expiredKeyRefusesAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.expire();
		assertThat(lock.acquire(keys, request)).isEqualTo(REFUSED);
	}

	void deletedKeyRefusesAllAndLeavesTheOthersAsTheyAre(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.redis.del(keys.get(1));
		assertThat(lock.acquire(keys, request, 20_000, 0, 0, 0)).isEqualTo(REFUSED);
		assertThat(lock.get("lease")).isEqualTo("10000");
		assertThat(lock.redis.exists(keys.get(1))).isZero();
	}

	void anotherKindOfLockIsNamedAndNothingIsTaken(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.acquire("S", keys.subList(2, 3), request(B), 10_000, 0);
		assertThat(lock.acquire(keys, request(A))).isEqualTo(List.of(3L, 2L, 2L));
		assertThat(lock.redis.exists(keys.get(0), keys.get(1))).isZero();
	}

	void foreignValueIsAnErrorAndNothingIsTaken(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.redis.set(keys.get(2), "x");
		assertThatThrownBy(() -> lock.acquire(keys, request(A))).hasMessageStartingWith("LOCKFOREIGN 3 ");
		assertThat(lock.redis.exists(keys.get(0), keys.get(1))).isZero();
	}

	void newRequestIsRefusedWithoutMemoryAndLeavesNothing(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.fillMemory();
		assertThatThrownBy(() -> lock.acquire(keys, request(A))).hasMessageContaining("OOM");
		assertThat(lock.redis.exists(keys.toArray(String[]::new))).isZero();
	}

	void releaseFreesAllAndWakesOneOfEach(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.acquire(keys.subList(0, 1), request(B), 10_000, 0, 0, 5_000);
		lock.acquire(keys.subList(2, 3), request(C), 10_000, 0, 0, 5_000);
		assertThat(lock.release(keys, request)).isEqualTo(1);
		assertThat(List.of(keys.get(0), keys.get(2)))
			.allSatisfy((key) -> assertThat(lock.redis.hkeys(key)).containsExactlyInAnyOrder("state", "waiters"));
		assertThat(lock.redis.hkeys(keys.get(1))).containsExactly("state");
		assertThat(keys).allSatisfy((key) -> assertThat(lock.wire.status(key, request)).isEqualTo("released"));
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k2");
		assertThat(lock.release(keys, request)).as("repeated").isEqualTo(1);
	}

	void releaseOfSeveralWhenOneWasLostSaysSoAndFreesTheOthers(LockScriptHarness lock) {
		for (int lost = 0; lost < 3; lost++) {
			lock.key += "-" + lost;
			List<String> keys = lock.keys();
			String request = request(A);
			lock.acquire(keys, request);
			lock.redis.del(keys.get(lost));
			assertThat(lock.release(keys, request)).isZero();
			assertThat(keys).allSatisfy((key) -> assertThat(lock.wire.owner(key)).isNull());
		}
	}

	void releaseOfSeveralWhenOneHasExpiredSaysSoUnlessOneWasLost(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.abandon(keys.subList(1, 2), request);
		assertThat(lock.release(keys, request)).isEqualTo(EXPIRED);
		lock.redis.del(keys.get(0));
		assertThat(lock.release(keys, request)).as("lost before").isZero();
		lock.abandon(keys.subList(0, 1), request);
		lock.redis.del(keys.get(2));
		assertThat(lock.release(keys, request)).as("lost behind").isZero();
	}

	void abandonFreesAllAndRefusesAllAndWakesOneOfEach(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request, 10_000, 30_000, 0, 0);
		lock.acquire(keys.subList(0, 1), request(B), 10_000, 0, 0, 5_000);
		lock.acquire(keys.subList(2, 3), request(C), 10_000, 0, 0, 5_000);
		assertThat(lock.abandon(keys, request)).isEqualTo(1);
		assertThat(keys).allSatisfy((key) -> assertThat(lock.wire.show(key)).contains("status gone", "owner " + request,
				"kept 0", "keptFor 0"));
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k2");
		assertThat(lock.abandon(keys, request)).as("repeated").isZero();
	}

	void abandonOfSeveralWhenOneIsNotOwnedAnswersSo(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys.subList(1, 3), request);
		assertThat(lock.abandon(keys, request)).isZero();
		assertThat(keys).allSatisfy((key) -> assertThat(lock.wire.status(key, request)).isEqualTo("gone"));
	}

	void foreignValueIsAnErrorButTheOthersAreReleased(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.redis.set(keys.get(1), "x");
		lock.fillMemory();
		assertThatThrownBy(() -> lock.release(keys, request)).hasMessageStartingWith("LOCKFOREIGN 2 ");
		assertThat(lock.wire.owner(keys.get(0))).isNull();
		assertThat(lock.wire.owner(keys.get(2))).isNull();
	}

	void foreignValueIsAnErrorButTheOthersAreAbandoned(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.redis.set(keys.get(0), "x");
		lock.acquire(keys.subList(1, 2), request(B));
		lock.fillMemory();
		assertThatThrownBy(() -> lock.abandon(keys, request)).hasMessageStartingWith("LOCKFOREIGN 1 ");
		assertThat(lock.wire.status(keys.get(2), request)).isEqualTo("gone");
	}

	/** The scripts relied on the told number of keys, so left-out locks were granted. */
	void otherKeysThanToldAreAnErrorAndNothingIsDone(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String owner = request(A);
		lock.acquire(keys, owner);
		List<Map<String, String>> before = keys.stream().map(lock.redis::hgetall).toList();
		for (int surplus : new int[] { -3, -1, 1 }) {
			lock.surplus = surplus;
			Stream
				.<ThrowingCallable>of(() -> lock.acquire(keys, owner, 20_000, 0, 0, 0),
						() -> lock.acquire("R", keys, owner, 20_000, 0), () -> lock.release(keys, owner),
						() -> lock.abandon(keys, owner), () -> lock.raise(keys, owner, Long.MAX_VALUE >> 11))
				.forEach((command) -> assertThatThrownBy(command).hasMessageStartingWith("LOCKKEYS"));
		}
		assertThat(keys.stream().map(lock.redis::hgetall).toList()).isEqualTo(before);
	}

	void noKeyIsAnErrorAndNoGrant(LockScriptHarness lock) {
		assertThatThrownBy(() -> lock.acquire(List.of(), request(A))).hasMessageStartingWith("LOCKKEYS");
	}

}
