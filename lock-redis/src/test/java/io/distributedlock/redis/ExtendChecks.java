package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The checks of extend.lua.
 */
class ExtendChecks {

	private static final String NEXT = "33333333," + ONE;

	void extendOfAnOwnerSetsItsLeaseAnew(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		assertThat(lock.extend(request, 20_000, ONE)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(15_000L, 20_000L);
		assertThat(lock.get("lease")).isEqualTo("20000");
		assertThat(lock.get("mark")).isEqualTo(ONE);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.extend(request, 3_000, NEXT)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(1L, 3_000L);
		assertThat(lock.get("lease")).isEqualTo("3000");
		assertThat(lock.get("mark")).isEqualTo("33333333");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + 3_000);
		assertThat(lock.acquire(request)).as("with the same token").isEqualTo(List.of(1L, token));
	}

	void extendOfAReaderSetsItsLeaseAloneAnew(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		String other = lock.take("R", B);
		assertThat(lock.extend(reader, 20_000, ONE)).isEqualTo(1);
		assertThat(lock.rest(reader)).isBetween(15_000L, 20_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.extend(reader, 3_000, NEXT)).isEqualTo(1);
		assertThat(lock.rest(reader)).isBetween(1L, 3_000L);
		assertThat(lock.wire.last(lock.key, reader)).contains("held", "3000", "33333333");
		assertThat(lock.lines("holders")).anyMatch((line) -> line.endsWith(lock.wire.last(lock.key, reader).get(2)));
		assertThat(lock.rest(other)).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).as("longer than the shorter one").isGreaterThan(RETENTION + 5_000);
	}

	void extendOfAPermitSetsItsLeaseAnew(LockScriptHarness lock) {
		String permit = lock.take("S", A);
		lock.take("S", B);
		assertThat(lock.extend(permit, 3_000, ONE)).isEqualTo(1);
		assertThat(lock.rest(permit)).isBetween(1L, 3_000L);
	}

	void extendThatIsRepeatedChangesNothing(LockScriptHarness lock) {
		for (String mode : List.of("X", "F", "R", "S")) {
			String owner = lock.take(mode, A);
			assertThat(lock.extend(owner, 3_000, ONE)).as(mode).isEqualTo(1);
			assertThat(lock.renew(owner, 20_000, ONE)).as(mode).isEqualTo(1);
			assertThat(lock.extend(owner, 3_000, ONE)).as(mode).isEqualTo(1);
			assertThat(lock.redis.pttl(lock.key)).as(mode).isGreaterThan(RETENTION + 15_000);
			lock.startOver();
		}
	}

	void extendIsNotUndoneByWhatWasSentBefore(LockScriptHarness lock) {
		for (String mode : List.of("X", "F", "R", "S")) {
			String owner = lock.take(mode, A);
			assertThat(lock.renew(owner, 20_000, ONE)).as(mode).isEqualTo(1);
			assertThat(lock.extend(owner, 3_000, NEXT)).as(mode).isEqualTo(1);
			assertThat(lock.renew(owner, 20_000, ONE)).as(mode).isZero();
			assertThat(lock.extend(owner, 20_000, ONE)).as(mode).isZero();
			assertThat(lock.extend(owner, 20_000, OTHER)).as("that of a twin").isZero();
			boolean alone = mode.equals("X") || mode.equals("F");
			assertThat(alone ? lock.left("deadline") : lock.rest(owner)).as(mode).isBetween(1L, 3_000L);
			assertThat(lock.renew(owner, 3_000, NEXT)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

	void extendKeepsTheLockFromNowOn(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		assertThat(lock.extend(request, 3_000, 20_000, ONE)).isEqualTo(1);
		assertThat(lock.left("kept")).isBetween(15_000L, 20_000L);
		assertThat(lock.get("keptFor")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.extend(request, 3_000, NEXT)).isEqualTo(1);
		assertThat(lock.left("kept")).as("as before").isBetween(15_000L, 20_000L);
		assertThat(lock.extend(request, 3_000, 0, "44444444," + NEXT)).isEqualTo(1);
		assertThat(lock.get("kept")).isEqualTo("0");
		assertThat(lock.get("keptFor")).isEqualTo("0");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + 3_000);
	}

	void extendOfAnExpiredLeaseDoesNotResurrect(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.expire();
		assertThat(lock.extend(request, 20_000, ONE)).isEqualTo(EXPIRED);
		assertThat(lock.left("deadline")).isNegative();
		assertThat(lock.acquire(request(B)).get(0)).isEqualTo(1L);
	}

	void extendOfAReleasedOrAbandonedRequestIsRefused(LockScriptHarness lock) {
		String released = request(A);
		lock.take(released, 10_000, 0);
		lock.release(released);
		assertThat(lock.extend(released, 20_000, ONE)).isZero();
		String abandoned = request(B);
		lock.abandon(abandoned);
		assertThat(lock.extend(abandoned, 20_000, ONE)).isEqualTo(EXPIRED);
	}

	void extendOfAnotherLeavesTheLeaseAlone(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		assertThat(lock.extend(request(B), 3_000, ONE)).isZero();
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
		assertThat(lock.get("mark")).isEqualTo("00000000");
	}

	void extendOfAnEarlierRequestOfTheContenderIsRefused(LockScriptHarness lock) {
		String earlier = request(A, 7);
		lock.take(earlier, 10_000, 0);
		lock.release(earlier);
		lock.take(request(A, 7), 10_000, 0);
		assertThat(lock.extend(earlier, 3_000, ONE)).isZero();
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
	}

	void extendOfAReaderWhoseSetWasLostIsRefused(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.redis.del(LockOnTheWire.set("holders", lock.key));
		assertThat(lock.extend(reader, 20_000, ONE)).isZero();
	}

	void extendOfSeveralIsOfAll(LockScriptHarness lock) {
		String request = request(A);
		lock.acquire(lock.keys(), request);
		assertThat(lock.extend(lock.keys(), request, 20_000, "", ONE)).isEqualTo(1);
		for (String key : lock.keys()) {
			assertThat(Long.parseLong(lock.wire.get(key, "deadline")) - lock.now()).isBetween(15_000L, 20_000L);
			assertThat(lock.redis.pttl(key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		}
		lock.wire.set(lock.keys().get(2), "deadline", lock.now() - 1);
		assertThat(lock.extend(lock.keys(), request, 20_000, "", NEXT)).isEqualTo(EXPIRED);
		lock.redis.del(lock.keys().get(1));
		assertThat(lock.extend(lock.keys(), request, 20_000, "", "44444444," + NEXT)).isZero();
		assertThat(lock.redis.exists(lock.keys().get(1))).isZero();
	}

	void extendPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.extend(request, 20_000, 30_000, ONE)).isEqualTo(1);
		assertThat(lock.left("deadline")).isGreaterThan(15_000L);
	}

	void extendOnAReplicaIsNotAnswered(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.extend(request(B), 10_000, ONE)).hasMessageContaining("READONLY");
	}

}
