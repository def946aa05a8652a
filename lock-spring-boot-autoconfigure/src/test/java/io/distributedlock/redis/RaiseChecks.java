package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the script must do with which the nodes of a quorum agree on a token. */
class RaiseChecks {

	void ownersTokenIsRaisedAndNeverLowered(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		assertThat(lock.raise(request, token + 70_000_000)).isEqualTo(1);
		assertThat(lock.raise(request, token + 5)).isEqualTo(1);
		assertThat(lock.field("t")).isEqualTo(Long.toString(token + 70_000_000));
		assertThat(lock.acquire(request)).isEqualTo(List.of(1L, token + 70_000_000));
		lock.release(request);
		assertThat(lock.take(request(B), 10_000, 0)).isGreaterThan(token + 70_000_000);
	}

	void tokenOfAnotherIsLeftAlone(LockScriptHarness lock) {
		long token = lock.take(request(A), 10_000, 0);
		assertThat(lock.raise(request(B), token + 5)).isZero();
		assertThat(lock.field("t")).isEqualTo(Long.toString(token));
	}

	void expiredOwnerRaisesNothing(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.expire();
		assertThat(lock.raise(request, token + 5)).isZero();
		assertThat(lock.field("t")).isEqualTo(Long.toString(token));
	}

	void ownerWhoseLeaseLasts(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.move("x", 3_600_000);
		assertThat(lock.raise(request, token + 5)).as("the clock went back").isEqualTo(1);
	}

	void severalAreRaisedAllOrNone(LockScriptHarness lock) {
		String request = request(A);
		List<Object> answer = lock.acquire(lock.keys(), request);
		long token = (Long) answer.get(1);
		assertThat(lock.raise(lock.keys(), request, token + 5)).isEqualTo(1);
		for (String key : lock.keys()) {
			assertThat(lock.redis.hget(key, "t")).isEqualTo(Long.toString(token + 5));
		}
		lock.redis.del(lock.keys().get(2));
		assertThat(lock.raise(lock.keys(), request, token + 9)).isZero();
		assertThat(lock.field("t")).isEqualTo(Long.toString(token + 5));
		assertThat(lock.redis.exists(lock.keys().get(2))).isZero();
	}

	void readerIsRaisedWithItsLockAndKeepsItsLease(LockScriptHarness lock) {
		String reader = request(A);
		String other = request(B);
		long token = lock.come("R", reader);
		lock.come("R", other);
		String lease = lock.field("r" + reader);
		assertThat(lock.raise(reader, token + 5)).isEqualTo(1);
		assertThat(lock.raise(reader, token + 3)).isEqualTo(1);
		assertThat(lock.field("t")).isEqualTo(Long.toString(token + 5));
		assertThat(lock.field("r" + reader)).isEqualTo(lease.replaceAll("[0-9]+$", Long.toString(token + 5)));
		assertThat(lock.field("r" + other)).endsWith(":" + token);
		assertThat(lock.acquire("R", reader)).isEqualTo(List.of(1L, token + 5));
		lock.redis.hset(lock.key, "r" + other, "1:10000:" + token);
		assertThat(lock.raise(other, token + 9)).as("expired").isZero();
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
