package io.distributedlock.redis;

import java.util.List;
import java.util.Map;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The answers of the script that looks at a lock. */
class InspectChecks {

	void unknownLockIsFree(LockScriptHarness lock) {
		assertThat(lock.inspect(9)).isEqualTo(List.of(0L, 0L, 0L, 0L, 0L));
		assertThat(lock.redis.exists(lock.key)).isZero();
	}

	void ownerIsNamed(LockScriptHarness lock) {
		String owner = request(A);
		long token = lock.take(owner, 10_000, 0);
		List<Object> seen = lock.inspect(9);
		assertThat(seen).startsWith(0L, 0L, 0L, 1L, 0L, owner, token).hasSize(9);
		assertThat((Long) seen.get(7)).isBetween(5_000L, 10_000L);
		lock.expire();
		assertThat(lock.inspect(9)).isEqualTo(List.of(0L, 0L, 0L, 0L, 0L));
	}

	void nothingLastsLongerThanItWasTakenFor(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 20_000);
		lock.move("deadline", 3_600_000);
		lock.move("kept", 3_600_000);
		assertThat((Long) lock.inspect(9).get(7)).isBetween(5_000L, 10_000L);
		assertThat((Long) lock.inspect(9).get(1)).isBetween(15_000L, 20_000L);
	}

	void keptLockIsShown(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 20_000);
		lock.release(owner);
		assertThat((Long) lock.inspect(9).get(1)).isBetween(15_000L, 20_000L);
		assertThat(lock.inspect(9).get(3)).isEqualTo(0L);
	}

	void instancesThatWaitAreCountedWhileTheirEntriesCount(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.stand(Map.of(B, 5_000L, C, -1L));
		assertThat(lock.inspect(9).get(4)).isEqualTo(1L);
		lock.stand(Map.of(B, 5_000L, C, 3_600_000L));
		assertThat(lock.inspect(9).get(4)).as("the clock went back").isEqualTo(1L);
	}

	void requestsThatWaitAreCountedWhileTheirEntriesCount(LockScriptHarness lock) {
		lock.take("X", A);
		String late = lock.waitFor("F", B);
		lock.waitFor("F", C);
		lock.waitFor("R", B);
		lock.shiftReader(lock.waitFor("R", C), -1);
		lock.shiftPlace(late, -1);
		assertThat(lock.inspect(9).get(4)).isEqualTo(2L);
	}

	void admittedReadersWait(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor("R", B);
		lock.release(owner);
		assertThat(lock.inspect(9)).isEqualTo(List.of(0L, 0L, 1L, 0L, 1L));
	}

	void readersAreNamedUpToANumber(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = request(B);
		long token = lock.come("R", other);
		lock.renew(other, 60_000);
		List<Object> seen = lock.inspect(9);
		assertThat(seen).startsWith(0L, 0L, 1L, 2L, 0L, one, token).contains(other).hasSize(13);
		assertThat((Long) seen.get(7)).isBetween(5_000L, 10_000L);
		assertThat(lock.inspect(1)).startsWith(0L, 0L, 1L, 2L, 0L, one).hasSize(9);
		lock.shift(one, -1);
		assertThat(lock.inspect(9)).startsWith(0L, 0L, 1L, 1L, 0L, other).hasSize(9);
	}

	void permitsAreCounted(LockScriptHarness lock) {
		String permit = lock.take("S", A);
		assertThat(lock.inspect(9)).startsWith(2L, 0L, 1L, 1L, 0L, permit);
	}

	void otherVersionIsAnError(LockScriptHarness lock) {
		lock.redis.hset(lock.key, "state", "\6");
		assertThatThrownBy(() -> lock.inspect(9)).hasMessageStartingWith("LOCKVERSION");
	}

}
