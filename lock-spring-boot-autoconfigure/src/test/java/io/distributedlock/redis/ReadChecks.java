package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the scripts must do with readers.
 */
class ReadChecks {

	private static final List<Object> REFUSED = List.of(2L);

	void readerIsGrantedWithAllFields(LockScriptHarness lock) {
		String request = request(A);
		long micros = lock.now() * 1_000;
		long token = lock.come("R", request);
		assertThat(token).isBetween(micros, micros + 5_000_000);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "y", "r" + request)
			.containsEntry("m", "X")
			.containsEntry("t", Long.toString(token));
		assertThat(lock.field("r" + request)).endsWith(":10000:" + token);
		assertThat(lock.rest("r" + request)).isBetween(5_000L, 10_000L);
		assertThat(lock.left("y")).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
	}

	void readersShareATokenAndLiveAsLongAsTheLast(LockScriptHarness lock) {
		lock.acquire("R", request(A), 30_000, 0);
		List<Object> first = lock.acquire("R", request(A));
		assertThat(lock.acquire("R", request(B))).isEqualTo(first);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 25_000);
	}

	void readerTakesTheTokenAsItIs(LockScriptHarness lock) {
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.redis.hset(lock.key, "t", Long.toString(last));
		String reader = request(A);
		assertThat(lock.come("R", reader)).isEqualTo(last);
		assertThat(lock.field("t")).isEqualTo(Long.toString(last));
		lock.release(reader);
		assertThat(lock.take(request(A), 10_000, 0)).isEqualTo(last + 1);
	}

	void readerOfSeveralMakesRoomWhereItCouldComeInIfAnotherIsBusy(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		String owner = request(A);
		lock.acquire(keys.subList(0, 2), owner);
		String reader = request(B);
		lock.acquire("R", keys.subList(0, 2), reader, 10_000, 5_000);
		lock.release(keys.subList(0, 1), owner);
		String writer = request(C);
		assertThat(lock.acquire("X", keys.subList(0, 1), writer, 10_000, 5_000).get(0)).as("readers first")
			.isEqualTo(0L);
		lock.wakeUps();
		assertThat(lock.acquire("R", keys.subList(0, 2), reader, 10_000, 5_000).get(3)).isEqualTo(1L);
		assertThat(lock.redis.hkeys(keys.get(0))).noneMatch((field) -> field.endsWith(reader));
		assertThat(lock.redis.hkeys(keys.get(1))).contains("v" + reader);
		assertThat(lock.wakeUps()).containsExactly(C + " " + keys.get(0).substring("lock:".length()));
		assertThat(lock.acquire("X", keys.subList(0, 1), writer, 10_000, 5_000).get(0)).isEqualTo(1L);
	}

	void readersOfSeveralGiveOneTokenToAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.redis.hset(keys.get(1), "t", Long.toString(last));
		assertThat(lock.acquire("R", keys, request(A), 10_000, 0).get(1)).isEqualTo(last + 1);
		assertThat(lock.redis.hget(keys.get(0), "t")).isEqualTo(Long.toString(last + 1));
		assertThat(lock.redis.hget(keys.get(1), "t")).isEqualTo(Long.toString(last + 1));
		assertThat(lock.acquire("R", keys, request(B), 10_000, 0).get(1)).isEqualTo(last + 1);
	}

	void repeatedReaderKeepsItsTokenAndLengthensButNeverShortens(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.come("R", request);
		assertThat(lock.acquire("R", request, 20_000, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.rest("r" + request)).isBetween(15_000L, 20_000L);
		assertThat(lock.field("r" + request)).endsWith(":20000:" + token);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.acquire("R", request, 100, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.rest("r" + request)).isBetween(15_000L, 20_000L);
		lock.fillMemory();
		assertThat(lock.acquire("R", request)).isEqualTo(List.of(1L, token));
	}

	void endedReaderIsRefused(LockScriptHarness lock) {
		String released = lock.take("R", A);
		lock.release(released);
		String abandoned = lock.take("R", A);
		lock.abandon(abandoned);
		String expired = lock.take("R", A);
		lock.shift("r" + expired, -1);
		assertThat(lock.acquire("R", expired)).isEqualTo(REFUSED);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("y", "r" + expired);
		assertThat(lock.field("a")).contains(expired, abandoned);
		for (String ended : List.of(released, abandoned, expired)) {
			assertThat(lock.acquire("R", ended)).isEqualTo(REFUSED);
		}
	}

	void lastOneHundredAndTwentyEightReleasedReadersAreRefused(LockScriptHarness lock) {
		List<String> released = new ArrayList<>();
		for (int i = 0; i < 130; i++) {
			released.add(lock.take("R", A));
		}
		released.forEach(lock::release);
		assertThat(lock.field("s")).hasSize(128 * 33);
		assertThat(released.subList(2, 130)).allSatisfy((one) -> assertThat(lock.acquire("R", one)).isEqualTo(REFUSED));
		assertThat(lock.release(released.get(2))).as("it was, by itself").isEqualTo(1);
	}

	void expiredReadersAreForgottenInOrderByTheNextWriter(LockScriptHarness lock) {
		String later = lock.take("R", B);
		String earlier = lock.take("R", A);
		lock.shift("r" + later, -1);
		lock.shift("r" + earlier, -1);
		lock.take(request(C), 10_000, 0);
		assertThat(lock.field("a")).isEqualTo(',' + earlier + ',' + later);
	}

	void heldLockIsBusyForReadersAndReadOneForWriters(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		List<Object> answer = lock.acquire("R", request(B));
		assertThat((Long) answer.get(1)).isBetween(5_000L, 10_000L);
		assertThat(answer.subList(2, 4)).isEqualTo(List.of(A, 0L));
		lock.release(writer);
		lock.acquire("R", request(C), 20_000, 0);
		lock.take("R", B);
		answer = lock.acquire("X", request(A));
		assertThat((Long) answer.get(1)).isBetween(15_000L, 20_000L);
		assertThat(answer.subList(2, 4)).as("whose lease ends last").isEqualTo(List.of(C, 0L));
	}

	void firstOfTwoReadersThatEndTogetherIsNamed(LockScriptHarness lock) {
		String b = lock.take("R", B);
		String a = lock.take("R", A);
		lock.redis.hset(lock.key, "r" + a, lock.field("r" + b));
		assertThat(lock.acquire("X", request(C)).get(2)).isEqualTo(A);
	}

	void keptLockIsBusyForReaders(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 30_000);
		lock.release(writer);
		List<Object> answer = lock.acquire("R", request(B));
		assertThat((Long) answer.get(1)).isBetween(25_000L, 30_000L);
		assertThat(answer.get(2)).isEqualTo("");
	}

	void readerForgetsAnExpiredOwnerAndWhatWasKept(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 20_000);
		lock.expire();
		lock.move("k", -1);
		String reader = lock.take("R", B);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "a", "y", "r" + reader)
			.containsEntry("a", ',' + owner);
	}

	void readerDeadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.shift("r" + reader, 3_600_000);
		assertThat((Long) lock.acquire("X", request(B)).get(1)).isBetween(5_000L, 10_000L);
		assertThat(lock.rest("r" + reader)).isBetween(5_000L, 10_000L);
		lock.shift("r" + reader, 3_600_000);
		assertThat(lock.renew(reader, 1_000)).isEqualTo(1);
		assertThat(lock.rest("r" + reader)).isBetween(5_000L, 10_000L);
	}

	void deadReadersAreNoticedByLaterOnes(LockScriptHarness lock) {
		String dead = lock.take("R", A);
		String alive = lock.take("R", A);
		lock.shift("r" + dead, -1);
		lock.take("R", B);
		assertThat(lock.redis.hgetall(lock.key)).as("nobody has looked").containsKey("r" + dead);
		lock.move("y", -1);
		lock.take("R", B);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("r" + dead).containsKey("r" + alive);
		assertThat(lock.left("y")).isBetween(5_000L, 10_000L);
		lock.shift("r" + alive, -1);
		lock.move("y", 3_600_000);
		String last = lock.take("R", B);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("r" + alive);
		lock.move("y", -1);
		lock.shift("r" + last, -1);
		lock.release(lock.take("R", C));
		lock.move("y", -1);
		String other = lock.take("R", C);
		lock.shift("r" + other, -1);
		String another = lock.take("R", C);
		lock.move("y", -1);
		lock.release(another);
		assertThat(lock.redis.hgetall(lock.key)).as("also by those who go").doesNotContainKey("r" + other);
	}

	void renewedReaderIsExtendedAlone(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", A);
		String token = lock.field("t");
		lock.fillMemory();
		assertThat(lock.renew(one, 20_000)).isEqualTo(1);
		assertThat(lock.field("r" + one)).endsWith(":20000:" + token);
		assertThat(lock.rest("r" + one)).isBetween(15_000L, 20_000L);
		assertThat(lock.rest("r" + other)).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.renew(other, 1_000)).isEqualTo(1);
		assertThat(lock.rest("r" + other)).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		lock.emptyMemory();
		lock.shift("r" + other, -1);
		assertThat(lock.renew(other, 20_000)).isZero();
		assertThat(lock.renew(request(A), 20_000)).isZero();
	}

	void readersOfSeveralLocksAreRenewedEach(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = request(B);
		lock.acquire("R", lock.keys().subList(1, 2), other, 10_000, 0);
		List<String> keys = List.of(lock.key, lock.keys().get(1), lock.key);
		assertThat(lock.renew(keys, List.of(one, other, other), 20_000)).containsExactly(1L, 1L, 0L);
	}

	void releasedReaderLeavesTheOthersAlone(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", A);
		lock.fillMemory();
		assertThat(lock.release(one)).isEqualTo(1);
		assertThat(lock.field("s")).isEqualTo(',' + one);
		assertThat(lock.redis.hgetall(lock.key)).containsKey("r" + other).doesNotContainKey("r" + one);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 5_000);
		lock.emptyMemory();
		lock.shift("r" + other, -1);
		assertThat(lock.release(other)).as("expired").isZero();
		assertThat(lock.release(request(A))).isZero();
	}

	void releaseKeepsTheKeyForTheRetention(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.redis.pexpire(lock.key, 1_000);
		lock.release(reader);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
	}

	void abandonedReaderFreesItsPartAlsoWithoutMemory(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", A);
		lock.fillMemory();
		assertThat(lock.abandon(one)).isEqualTo(1);
		assertThat(lock.redis.hgetall(lock.key)).containsKey("r" + other).doesNotContainKey("r" + one);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 5_000);
		lock.abandon(other);
		assertThat(lock.redis.hgetall(lock.key)).as("the abandon has looked").containsOnlyKeys("m", "t", "a");
	}

	void newReaderIsRefusedWithoutMemory(LockScriptHarness lock) {
		lock.fillMemory();
		assertThatThrownBy(() -> lock.acquire("R", request(A))).hasMessageContaining("OOM");
		assertThat(lock.redis.exists(lock.key)).isZero();
	}

	void waitingWriterIsNotOvertakenAndWokenByTheLastReader(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", A);
		String dead = lock.take("R", A);
		lock.shift("r" + dead, -1);
		String writer = lock.waitFor("X", B);
		List<Object> answer = lock.acquire("R", request(C));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(1L, 5_000L);
		assertThat(answer.get(2)).isEqualTo("");
		lock.release(one);
		assertThat(lock.wakeUps()).isEmpty();
		lock.release(other);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.field("y")).isNull();
		lock.waitFor("R", C);
		lock.come("X", writer);
	}

	void waitingWriterIsNotOvertakenWhenItWasWoken(LockScriptHarness lock) {
		String before = lock.take("X", A);
		String writer = lock.waitFor("X", B);
		lock.release(before);
		List<Object> answer = lock.acquire("R", request(C));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(1L, 5_000L);
		lock.come("X", writer);
		lock.release(writer);
		lock.take("R", C);
	}

	/** Another caller of its instance may wait for this one alone. */
	void writerOfSeveralThatWasWokenAndFindsAnotherBusyStaysInLine(LockScriptHarness lock) {
		List<String> keys = lock.keys().subList(0, 2);
		String owner = lock.take("X", A);
		String writer = request(B);
		lock.acquire("X", keys, writer, 10_000, 5_000);
		lock.release(owner);
		lock.acquire("X", keys.subList(1, 2), request(A), 10_000, 0);
		assertThat(lock.acquire("X", keys, writer, 10_000, 5_000).get(3)).isEqualTo(1L);
		lock.waitFor("R", C);
		lock.abandon(keys, writer);
		lock.take("R", C);
	}

	void wordOfAWriterThatEndsTooLateIsNone(LockScriptHarness lock) {
		lock.take("R", A);
		lock.redis.hset(lock.key, "w", B + "%013d".formatted(lock.now() + 3_600_000));
		lock.take("R", C);
		lock.redis.hset(lock.key, "w", B + "%013d".formatted(lock.now() - 1));
		lock.take("R", C);
	}

	void waitingReaderThatIsGrantedWaitsNoMore(LockScriptHarness lock) {
		lock.take("R", A);
		lock.waitFor("X", B);
		String reader = lock.waitFor("R", C);
		lock.redis.hdel(lock.key, "w");
		lock.come("R", reader);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("v" + reader, "z");
	}

	void ownersReaderIsLetInBesideIt(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", B);
		String reader = request(A);
		assertThat(lock.acquire("R", lock.keys().subList(0, 1), request(A), 10_000, 0, 0, 0, 0, request(A)).get(0))
			.isEqualTo(0L);
		assertThat(lock.acquire("R", lock.keys().subList(0, 1), reader, 30_000, 0, 0, 0, 0, writer))
			.isEqualTo(List.of(1L, Long.parseLong(lock.field("t"))));
		assertThat(lock.redis.hgetall(lock.key)).containsKeys("x", "l", "w", "r" + reader).containsEntry("o", writer);
		assertThat(lock.renew(writer, 1_000)).isEqualTo(1);
		assertThat(lock.acquire(writer).get(0)).isEqualTo(1L);
		assertThat(lock.release(writer)).isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 25_000);
		lock.waitFor("X", C);
		assertThat(lock.release(reader)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void ownersReaderThatGoesFirstWakesNobody(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", B);
		String reader = request(A);
		lock.acquire("R", lock.keys().subList(0, 1), reader, 30_000, 0, 0, 0, 0, writer);
		assertThat(lock.release(reader)).isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		lock.acquire("R", lock.keys().subList(0, 1), request(A), 30_000, 0, 0, 0, 0, writer);
		lock.abandon(writer);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 25_000);
	}

}
