package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the scripts must do with several locks.
 */
class TogetherChecks {

	private static final List<Object> REFUSED = List.of(2L);

	void allAreTakenWithOneTokenAboveAllOfTheirs(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.redis.hset(keys.get(1), "t", Long.toString(last));
		lock.redis.hset(keys.get(2), "t", Long.toString(last - 1));
		String request = request(A);
		assertThat(lock.acquire(keys, request, 10_000, 30_000, 0, 0)).isEqualTo(List.of(1L, last + 1));
		for (String key : keys) {
			assertThat(lock.redis.hgetall(key)).containsOnlyKeys("m", "o", "t", "x", "l", "k", "f")
				.containsEntry("o", request)
				.containsEntry("t", Long.toString(last + 1));
			assertThat(lock.redis.pttl(key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
		}
	}

	void firstBusyOneIsNamedAndNothingElseChanges(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.acquire(keys.subList(1, 2), request(B));
		lock.acquire(keys.subList(2, 3), request(C));
		List<Object> answer = lock.acquire(keys, request(A), 10_000, 0, 0, 5_000);
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat(answer.subList(2, 4)).isEqualTo(List.of(B, 1L));
		assertThat(lock.redis.exists(keys.get(0))).isZero();
		assertThat(lock.redis.hget(keys.get(1), "w")).startsWith(A).hasSize(29);
		assertThat(lock.redis.hget(keys.get(2), "w")).isNull();
	}

	void repeatedRequestKeepsTokenAndLengthensAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		Object token = lock.acquire(keys, request).get(1);
		assertThat(lock.acquire(keys, request, 20_000, 0, 0, 0)).isEqualTo(List.of(1L, token));
		for (String key : keys) {
			assertThat(Long.parseLong(lock.redis.hget(key, "x")) - lock.now()).isBetween(15_000L, 20_000L);
			assertThat(lock.redis.hget(key, "l")).isEqualTo("20000");
			assertThat(lock.redis.pttl(key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		}
	}

	void oneThatWasReleasedRefusesAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys.subList(1, 2), request);
		lock.release(keys.subList(1, 2), request);
		assertThat(lock.acquire(keys, request)).isEqualTo(REFUSED);
		assertThat(lock.redis.exists(keys.get(0), keys.get(2))).isZero();
	}

	void oneThatWasAbandonedRefusesAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.abandon(keys.subList(2, 3), request);
		lock.acquire(keys.subList(0, 1), request(B));
		assertThat(lock.acquire(keys, request)).as("rather than busy").isEqualTo(REFUSED);
	}

	void oneThatHasExpiredRefusesAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.expire();
		assertThat(lock.acquire(keys, request)).isEqualTo(REFUSED);
	}

	void oneThatIsGoneRefusesAllAndLeavesTheOthersAsTheyAre(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.redis.del(keys.get(1));
		assertThat(lock.acquire(keys, request, 20_000, 0, 0, 0)).isEqualTo(REFUSED);
		assertThat(lock.field("l")).isEqualTo("10000");
		assertThat(lock.redis.exists(keys.get(1))).isZero();
	}

	void anotherKindOfLockIsNamedAndNothingIsTaken(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.redis.hset(keys.get(2), "m", "Z");
		assertThat(lock.acquire(keys, request(A))).isEqualTo(List.of(3L, "Z", 2L, 0L));
		assertThat(lock.redis.exists(keys.get(0), keys.get(1))).isZero();
	}

	void foreignValueIsAnErrorAndNothingIsTaken(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		lock.redis.set(keys.get(2), "x");
		assertThatThrownBy(() -> lock.acquire(keys, request(A))).hasMessageContaining("WRONGTYPE");
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
			.allSatisfy((key) -> assertThat(lock.redis.hgetall(key)).containsOnlyKeys("m", "t", "e", "w"));
		assertThat(lock.redis.hgetall(keys.get(1))).containsOnlyKeys("m", "t", "e");
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k2");
		assertThat(lock.release(keys, request)).as("repeated").isEqualTo(1);
	}

	void releaseTellsOfOneThatWasLostAndFreesTheOthers(LockScriptHarness lock) {
		for (int lost = 0; lost < 3; lost++) {
			lock.key += "-" + lost;
			List<String> keys = lock.keys();
			String request = request(A);
			lock.acquire(keys, request);
			lock.redis.del(keys.get(lost));
			assertThat(lock.release(keys, request)).isZero();
			assertThat(keys).allSatisfy((key) -> assertThat(lock.redis.hget(key, "o")).isNull());
		}
	}

	void abandonFreesAllAndRefusesAllAndWakesOneOfEach(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request, 10_000, 30_000, 0, 0);
		lock.acquire(keys.subList(0, 1), request(B), 10_000, 0, 0, 5_000);
		lock.acquire(keys.subList(2, 3), request(C), 10_000, 0, 0, 5_000);
		assertThat(lock.abandon(keys, request)).isEqualTo(1);
		assertThat(keys).allSatisfy((key) -> assertThat(lock.redis.hgetall(key)).containsKeys("m", "t")
			.doesNotContainKeys("o", "x", "l", "k", "f")
			.containsEntry("a", ',' + request));
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k2");
		assertThat(lock.abandon(keys, request)).as("repeated").isZero();
	}

	void abandonOfOneThatIsNotOwnedIsTold(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys.subList(1, 3), request);
		assertThat(lock.abandon(keys, request)).isZero();
		assertThat(keys).allSatisfy((key) -> assertThat(lock.redis.hget(key, "a")).isEqualTo(',' + request));
	}

	void foreignValueIsAnErrorButTheOthersAreReleased(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.acquire(keys, request);
		lock.redis.set(keys.get(1), "x");
		lock.fillMemory();
		assertThatThrownBy(() -> lock.release(keys, request)).hasMessageContaining("WRONGTYPE");
		assertThat(lock.redis.hget(keys.get(0), "o")).isNull();
		assertThat(lock.redis.hget(keys.get(2), "o")).isNull();
	}

	void foreignValueIsAnErrorButTheOthersAreAbandoned(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String request = request(A);
		lock.redis.set(keys.get(0), "x");
		lock.redis.hset(keys.get(1), "m", "Z");
		lock.fillMemory();
		assertThatThrownBy(() -> lock.abandon(keys, request)).hasMessageContaining("WRONGTYPE");
		assertThat(lock.redis.hget(keys.get(2), "a")).isEqualTo(',' + request);
	}

}
