package io.distributedlock.redis;

import java.util.List;
import java.util.Map;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requirements for the scripts with semaphores, which have two permits here.
 */
class SemaphoreChecks {

	void permitIsGrantedWithAllFields(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.come("S", request);
		assertThat(lock.wire.show(lock.key)).contains("shared 1", "permits 2", "token " + token);
		assertThat(lock.wire.last(lock.key, request)).contains(request, "held", "10000", Long.toString(token));
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
	}

	void permitsAreGivenUntilNoneIsLeft(LockScriptHarness lock) {
		lock.acquire("S", request(A), 30_000, 0);
		lock.take("S", B);
		List<Object> answer = lock.acquire("S", request(C));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(5_000L, 10_000L);
		assertThat(answer.subList(2, 4)).as("whose lease ends first").isEqualTo(List.of(B, 0L));
	}

	void tokensGrowAndStayWithTheirPermits(LockScriptHarness lock) {
		String one = request(A);
		long token = lock.come("S", one);
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.set("token", last);
		assertThat(lock.come("S", request(B))).isEqualTo(last + 1);
		assertThat(lock.get("token")).isEqualTo(Long.toString(last + 1));
		assertThat(lock.acquire("S", one, 20_000, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.rest(one)).isBetween(15_000L, 20_000L);
	}

	void expiredPermitIsGivenOnceMoreAndItsHolderRefused(LockScriptHarness lock) {
		String dead = lock.take("S", A);
		String other = lock.take("S", A);
		lock.shift(dead, -1);
		assertThat(lock.renew(dead, 10_000)).isEqualTo(EXPIRED);
		assertThat(lock.renew(other, 20_000)).isEqualTo(1);
		lock.take("S", B);
		assertThat(lock.acquire("S", request(C)).get(0)).isEqualTo(0L);
		assertThat(lock.status(dead)).isEqualTo("gone");
		assertThat(lock.acquire("S", dead)).isEqualTo(List.of(2L));
		assertThat(lock.release(dead)).isEqualTo(EXPIRED);
	}

	void releasedPermitWakesOneWaiter(LockScriptHarness lock) {
		String one = lock.take("S", A);
		String other = lock.take("S", A);
		String waiting = lock.waitFor("S", B);
		lock.waitFor("S", C);
		lock.fillMemory();
		assertThat(lock.release(one)).isEqualTo(1);
		lock.emptyMemory();
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.line()).containsExactly(C);
		lock.come("S", waiting);
		lock.release(other);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void twoReleasedPermitsWakeTwoOfThreeWaiters(LockScriptHarness lock) {
		List<String> permits = List.of(lock.take("S", A), lock.take("S", A));
		List.of(B, C, "dddddddddddddddd").forEach((instance) -> lock.waitFor("S", instance));
		permits.forEach(lock::release);
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k");
	}

	void grantedWaiterLeavesTheLine(LockScriptHarness lock) {
		lock.take("S", A);
		String dead = lock.take("S", A);
		String waiting = lock.waitFor("S", B);
		lock.waitFor("S", C);
		lock.shift(dead, -1);
		lock.come("S", waiting);
		assertThat(lock.line()).containsExactly(C);
	}

	void wokenWaiterThatIsAbandonedWakesTheNextWhileAPermitIsLeft(LockScriptHarness lock) {
		String one = lock.take("S", A);
		lock.take("S", A);
		String gone = lock.waitFor("S", B);
		String next = lock.waitFor("S", C);
		lock.abandon(lock.waitFor("S", "dddddddddddddddd"));
		assertThat(lock.wakeUps()).as("none is left").isEmpty();
		lock.release(one);
		lock.wakeUps();
		lock.abandon(gone);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(lock.line()).isEmpty();
		lock.come("S", next);
	}

	void abandonedPermitWakesAWaiterAndIsRefused(LockScriptHarness lock) {
		String one = lock.take("S", A);
		lock.take("S", A);
		lock.waitFor("S", B);
		lock.fillMemory();
		assertThat(lock.abandon(one)).isEqualTo(1);
		lock.emptyMemory();
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.acquire("S", one)).isEqualTo(List.of(2L));
	}

	void otherKindsAndLimitsAreNamedWhileAPermitIsHeld(LockScriptHarness lock) {
		String permit = lock.take("S", A);
		for (String mode : List.of("X", "F", "R")) {
			assertThat(lock.acquire(mode, request(B))).isEqualTo(List.of(3L, 2L, 0L));
		}
		assertThat(limited(lock, 3)).isEqualTo(List.of(3L, 2L, 0L));
		lock.shift(permit, -1);
		assertThat(limited(lock, 1).get(0)).isEqualTo(1L);
		assertThat(lock.get("permits")).isEqualTo("1");
		assertThat(limited(lock, 1).get(0)).isEqualTo(0L);
	}

	void otherModesAreNamedWhileARequestWaits(LockScriptHarness lock) {
		String one = lock.take("S", A);
		String other = lock.take("S", A);
		lock.waitFor("S", B);
		lock.waitFor("S", C);
		lock.release(one);
		lock.release(other);
		lock.stand(Map.of(B, 5_000L));
		assertThat(lock.acquire("X", request(A))).isEqualTo(List.of(3L, 2L, 0L));
		lock.stand(Map.of(B, -1L));
		lock.take("X", A);
		assertThat(lock.wire.show(lock.key)).contains("permits 0", "shared 0");
		assertThat(lock.line()).isEmpty();
	}

	void semaphoreIsRefusedWhereALockIsInUse(LockScriptHarness lock) {
		List<Object> refused = List.of(3L, 0L, 0L);
		String writer = request(A);
		lock.take(writer, 10_000, 20_000);
		assertThat(lock.acquire("S", request(B))).isEqualTo(refused);
		lock.release(writer);
		assertThat(lock.acquire("S", request(B))).as("kept").isEqualTo(refused);
		lock.move("kept", -1);
		String reader = lock.take("R", A);
		assertThat(lock.acquire("S", request(B))).isEqualTo(refused);
		String waiting = lock.waitFor("F", C);
		lock.release(reader);
		assertThat(lock.acquire("S", request(B))).as("waited for").isEqualTo(refused);
		lock.abandon(waiting);
		lock.take("S", B);
		assertThat(lock.wire.show(lock.key)).contains("permits 2", "shared 1", "kept 0", "keptFor 0");
	}

	void deadWaitersDoNotKeepASemaphoreOut(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String fair = lock.waitFor("F", B);
		String reader = lock.waitFor("R", B);
		lock.stand(Map.of(C, -1L));
		lock.shiftPlace(fair, -1);
		lock.shiftReader(reader, -1);
		// Nothing is admitted or woken then.
		lock.expire();
		lock.wire.set(lock.key, "status", 0);
		assertThat(lock.acquire("S", request(C)).get(0)).isEqualTo(1L);
		assertThat(lock.status(owner)).isEqualTo("released");
	}

	void semaphoreForgetsAnExpiredOwner(LockScriptHarness lock) {
		String owner = request(A);
		long token = lock.take(owner, 10_000, 0);
		lock.expire();
		assertThat(lock.come("S", request(B))).isGreaterThan(token);
		assertThat(lock.status(owner)).isEqualTo("gone");
	}

	private static List<Object> limited(LockScriptHarness lock, int permits) {
		return lock.acquire("S", List.of(lock.key), request(B), 10_000, 0, 0, 0, permits, "");
	}

}
