package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The checks of the script with which the nodes of a quorum agree on a token. */
class RaiseChecks {

	void ownersTokenIsRaisedAndNeverLowered(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		assertThat(lock.raise(request, token + 70_000_000)).isEqualTo(1);
		assertThat(lock.raise(request, token + 5)).isEqualTo(1);
		assertThat(lock.get("token")).isEqualTo(Long.toString(token + 70_000_000));
		assertThat(lock.acquire(request)).isEqualTo(List.of(1L, token + 70_000_000));
		lock.release(request);
		assertThat(lock.take(request(B), 10_000, 0)).isGreaterThan(token + 70_000_000);
	}

	void tokenOfAnotherIsLeftAlone(LockScriptHarness lock) {
		long token = lock.take(request(A), 10_000, 0);
		assertThat(lock.raise(request(B), token + 5)).isZero();
		assertThat(lock.get("token")).isEqualTo(Long.toString(token));
	}

	void expiredOwnerRaisesNothing(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.expire();
		assertThat(lock.raise(request, token + 5)).isZero();
		assertThat(lock.get("token")).isEqualTo(Long.toString(token));
	}

	void ownerWhoseLeaseLasts(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.move("deadline", 3_600_000);
		assertThat(lock.raise(request, token + 5)).as("the clock went back").isEqualTo(1);
	}

	void severalAreRaisedAllOrNone(LockScriptHarness lock) {
		String request = request(A);
		List<Object> answer = lock.acquire(lock.keys(), request);
		long token = (Long) answer.get(1);
		assertThat(lock.raise(lock.keys(), request, token + 5)).isEqualTo(1);
		for (String key : lock.keys()) {
			assertThat(lock.wire.get(key, "token")).isEqualTo(Long.toString(token + 5));
		}
		lock.redis.del(lock.keys().get(2));
		assertThat(lock.raise(lock.keys(), request, token + 9)).isZero();
		assertThat(lock.get("token")).isEqualTo(Long.toString(token + 5));
		assertThat(lock.redis.exists(lock.keys().get(2))).isZero();
	}

	void readerIsRaisedWithItsLockAndKeepsItsLease(LockScriptHarness lock) {
		String reader = request(A);
		String other = request(B);
		long token = lock.come("R", reader);
		lock.come("R", other);
		List<String> lease = lock.wire.last(lock.key, reader);
		lock.renew(reader, 10_000, ONE);
		assertThat(lock.raise(reader, token + 5)).isEqualTo(1);
		assertThat(lock.raise(reader, token + 3)).isEqualTo(1);
		assertThat(lock.get("token")).isEqualTo(Long.toString(token + 5));
		assertThat(lock.wire.last(lock.key, reader)).contains(lease.get(0), "held", "10000", Long.toString(token + 5),
				ONE);
		assertThat(lock.wire.last(lock.key, other)).contains(Long.toString(token));
		assertThat(lock.acquire("R", reader)).isEqualTo(List.of(1L, token + 5));
		lock.shift(other, -1);
		assertThat(lock.raise(other, token + 9)).as("expired").isZero();
	}

	void readerIsClampedAlsoWhereAnotherLastsLonger(LockScriptHarness lock) {
		lock.acquire("R", request(B), 7_200_000, 0);
		String reader = lock.take("R", A);
		lock.shift(reader, 3_600_000);
		assertThat(lock.raise(reader, lock.number("token") + 5)).isEqualTo(1);
		assertThat(lock.rest(reader)).isBetween(5_000L, 10_000L);
		assertThat(lock.lines("holders")).anyMatch((line) -> line.endsWith(lock.wire.last(lock.key, reader).get(2)));
	}

	void raisingPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.raise(request, token + 5)).isEqualTo(1);
	}

	void replicaDoesNotAnswerNotYours(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.raise(request(B), 1)).hasMessageContaining("READONLY");
	}

}
