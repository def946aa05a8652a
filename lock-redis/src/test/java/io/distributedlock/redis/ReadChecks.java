package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Checks how the scripts treat readers.
 */
class ReadChecks {

	private static final List<Object> REFUSED = List.of(2L);

	void readerIsGrantedWithAllFields(LockScriptHarness lock) {
		String request = request(A);
		long micros = lock.now() * 1_000;
		long token = lock.come("R", request);
		assertThat(token).isBetween(micros, micros + 5_000_000);
		assertThat(lock.redis.hlen(lock.key)).isEqualTo(2);
		assertThat(lock.wire.show(lock.key)).contains("shared 1", "permits 0", "token " + token);
		assertThat(lock.wire.last(lock.key, request)).contains(request, "held", "10000", Long.toString(token),
				"00000000");
		assertThat(lock.hold(request)).isTrue();
		assertThat(lock.rest(request)).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
		assertThat(lock.redis.pttl(LockOnTheWire.set("holders", lock.key))).isBetween(RETENTION + 5_000,
				RETENTION + 10_000);
	}

	void readersShareATokenAndLiveAsLongAsTheLast(LockScriptHarness lock) {
		lock.acquire("R", request(A), 30_000, 0);
		List<Object> first = lock.acquire("R", request(A));
		assertThat(lock.acquire("R", request(B))).isEqualTo(first);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 25_000);
	}

	void readerTakesTheTokenAsItIs(LockScriptHarness lock) {
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.set("token", last);
		String reader = request(A);
		assertThat(lock.come("R", reader)).isEqualTo(last);
		assertThat(lock.get("token")).isEqualTo(Long.toString(last));
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
		assertThat(lock.wire.lines(keys.get(0), "admitted")).isEmpty();
		assertThat(lock.wire.lines(keys.get(0), "readers")).isEmpty();
		assertThat(lock.wire.lines(keys.get(1), "readers")).hasSize(1);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(lock.acquire("X", keys.subList(0, 1), writer, 10_000, 5_000).get(0)).isEqualTo(1L);
	}

	void readersOfSeveralGiveOneTokenToAll(LockScriptHarness lock) {
		List<String> keys = lock.keys();
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.wire.set(keys.get(1), "token", last);
		assertThat(lock.acquire("R", keys, request(A), 10_000, 0).get(1)).isEqualTo(last + 1);
		assertThat(lock.wire.get(keys.get(0), "token")).isEqualTo(Long.toString(last + 1));
		assertThat(lock.wire.get(keys.get(1), "token")).isEqualTo(Long.toString(last + 1));
		assertThat(lock.acquire("R", keys, request(B), 10_000, 0).get(1)).isEqualTo(last + 1);
	}

	void repeatedReaderKeepsItsTokenAndLengthensButNeverShortens(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.come("R", request);
		assertThat(lock.acquire("R", request, 20_000, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.rest(request)).isBetween(15_000L, 20_000L);
		assertThat(lock.wire.last(lock.key, request)).contains("20000", Long.toString(token));
		assertThat(lock.members("holders")).hasSize(1);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.acquire("R", request, 100, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.rest(request)).isBetween(15_000L, 20_000L);
		lock.fillMemory();
		assertThat(lock.acquire("R", request)).isEqualTo(List.of(1L, token));
	}

	void endedReaderIsRefused(LockScriptHarness lock) {
		String released = lock.take("R", A);
		lock.release(released);
		String abandoned = lock.take("R", A);
		lock.abandon(abandoned);
		String expired = lock.take("R", A);
		lock.shift(expired, -1);
		assertThat(lock.acquire("R", expired)).isEqualTo(REFUSED);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.members("holders")).isEmpty();
		assertThat(lock.status(expired)).isEqualTo("gone");
		assertThat(lock.status(abandoned)).isEqualTo("gone");
		assertThat(lock.status(released)).isEqualTo("released");
		for (String ended : List.of(released, abandoned, expired)) {
			assertThat(lock.acquire("R", ended)).isEqualTo(REFUSED);
		}
	}

	/** A command forgets 100 of them. */
	void expiredReadersNeitherReleaseNorHoldTheLock(LockScriptHarness lock) {
		List<String> readers = new ArrayList<>();
		for (int i = 0; i < 202; i++) {
			readers.add(lock.take("R", A));
		}
		for (int i = 0; i < 202; i++) {
			lock.shift(readers.get(i), i - 1_000);
		}
		assertThat(lock.release(readers.get(201))).isEqualTo(EXPIRED);
		assertThat(lock.acquire(request(B)).get(0)).isEqualTo(1L);
	}

	void releasedReadersAreRefusedHoweverManyCameAfterThem(LockScriptHarness lock) {
		List<String> released = new ArrayList<>();
		for (int i = 0; i < 130; i++) {
			released.add(lock.take("R", A));
		}
		released.forEach(lock::release);
		assertThat(released).allSatisfy((one) -> assertThat(lock.acquire("R", one)).isEqualTo(REFUSED));
		assertThat(lock.release(released.get(2))).as("it was, by itself").isEqualTo(1);
	}

	void readerOfAContenderThatHadTheLockAloneIsItsLastRequest(LockScriptHarness lock) {
		String alone = request(A, 7);
		lock.take(alone, 10_000, 0);
		lock.release(alone);
		String reader = request(A, 7);
		lock.come("R", reader);
		assertThat(lock.acquire(alone)).isEqualTo(REFUSED);
		assertThat(lock.renew(reader, 20_000)).isEqualTo(1);
		assertThat(lock.release(reader)).isEqualTo(1);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.acquire("R", reader)).as("not the one before it").isEqualTo(REFUSED);
	}

	void laterReaderOfTheContenderIsBusyWhileTheEarlierReads(LockScriptHarness lock) {
		for (String mode : List.of("R", "S")) {
			String earlier = request(A, 7);
			lock.come(mode, earlier);
			List<Object> answer = lock.acquire(mode, request(A, 7));
			assertThat((Long) answer.get(1)).as(mode).isBetween(5_000L, 10_000L);
			assertThat(answer.get(2)).isEqualTo(A);
			assertThat(lock.renew(earlier, 10_000)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

	void expiredReadersAreGoneForTheNextWriter(LockScriptHarness lock) {
		List<String> expired = IntStream.range(0, 120).mapToObj((i) -> lock.take("R", B)).toList();
		expired.forEach((reader) -> lock.shift(reader, -10));
		lock.take(request(C), 10_000, 0);
		assertThat(lock.members("holders")).as("some at a time").hasSize(20);
		lock.abandon(request(C));
		assertThat(lock.members("holders")).isEmpty();
		assertThat(expired).allSatisfy((reader) -> {
			assertThat(lock.status(reader)).isEqualTo("gone");
			assertThat(lock.rest(reader)).isNegative();
			assertThat(lock.wire.last(lock.key, reader).get(3)).isEqualTo("0");
		});
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

	void keptLockIsBusyForReaders(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 30_000);
		lock.release(writer);
		List<Object> answer = lock.acquire("R", request(B));
		assertThat((Long) answer.get(1)).isBetween(25_000L, 30_000L);
		assertThat(answer.get(2)).isEqualTo("");
	}

	void readerRemovesAnExpiredOwnerAndItsKeepTime(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 20_000);
		lock.expire();
		lock.move("kept", -1);
		String reader = lock.take("R", B);
		assertThat(lock.wire.show(lock.key)).contains("status gone", "owner " + owner, "kept 0", "keptFor 0");
		assertThat(lock.hold(reader)).isTrue();
	}

	void readerDeadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.shift(reader, 3_600_000);
		assertThat((Long) lock.acquire("X", request(B)).get(1)).isBetween(5_000L, 10_000L);
		assertThat(lock.rest(reader)).isBetween(5_000L, 10_000L);
		assertThat(lock.lines("holders").get(0).split(" ")[1]).isEqualTo(lock.wire.last(lock.key, reader).get(2));
		lock.shift(reader, 3_600_000);
		assertThat(lock.renew(reader, 1_000)).isEqualTo(1);
		assertThat(lock.rest(reader)).isBetween(5_000L, 10_000L);
	}

	void deadReadersDoNotCountForAnyCommand(LockScriptHarness lock) {
		List<Consumer<String>> commands = List.of((alive) -> lock.take("R", B), lock::release, lock::abandon,
				(alive) -> lock.raise(alive, 1));
		for (Consumer<String> command : commands) {
			String dead = lock.take("R", A);
			String alive = lock.take("R", A);
			lock.shift(dead, -1);
			command.accept(alive);
			assertThat(lock.hold(dead)).isFalse();
			assertThat(lock.status(dead)).isEqualTo("gone");
			lock.startOver();
		}
	}

	void readerWhoseRequestWasLostCountsUntilItsLeaseIsOver(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.redis.hdel(lock.key, "by" + LockScriptHarness.bytes(reader.substring(0, 20)));
		assertThat(lock.acquire("X", request(B)).get(2)).isEqualTo(A);
		lock.redis.zadd(LockOnTheWire.set("holders", lock.key), 1, LockScriptHarness.bytes(reader.substring(0, 20)));
		lock.take("X", B);
	}

	/** A request that did not get the lock deleted it. */
	void lockWhoseKeyHasLostItsTimeToLiveStaysAsLongAsItIsHeld(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.redis.persist(lock.key);
		assertThat(lock.acquire("R", request(B)).get(0)).isEqualTo(0L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
		lock.release(owner);
		lock.take("R", A);
		lock.redis.persist(lock.key);
		lock.acquire("X", request(B));
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
		assertThat(lock.redis.pttl(LockOnTheWire.set("holders", lock.key))).isGreaterThan(RETENTION + 5_000);
	}

	void lockThatIsKeptStaysThoughItsKeyHasLostItsTimeToLive(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 30_000);
		lock.release(owner);
		lock.redis.persist(lock.key);
		lock.abandon(lock.waitFor("F", B));
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 20_000, RETENTION + 30_000);
	}

	/** Its renewals went on beside a writer. */
	void readerWhoseSetOfHoldersWasLostHasLostTheLock(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.redis.del(LockOnTheWire.set("holders", lock.key));
		String writer = lock.take("X", B);
		assertThat(lock.renew(reader, 20_000)).isZero();
		assertThat(lock.raise(reader, 1)).isZero();
		assertThat(lock.release(reader)).isZero();
		lock.release(writer);
		lock.take("R", C);
		assertThat(lock.renew(reader, 20_000)).isZero();
		assertThat(lock.release(reader)).isZero();
		assertThat(lock.acquire("R", reader)).isEqualTo(REFUSED);
		assertThat(lock.hold(reader)).isFalse();
	}

	/** Entries left in the sets kept others out, and took up permits. */
	void lockWhoseHashWasDeletedIsFree(LockScriptHarness lock) {
		for (String mode : List.of("X", "F", "S")) {
			String writer = lock.take("X", A);
			lock.waitFor("R", B);
			lock.release(writer);
			lock.take("R", A);
			lock.waitFor("F", C);
			lock.waitFor("R", B);
			lock.redis.del(lock.key);
			lock.release(lock.take(mode, B));
			lock.take("R", C);
			assertThat(lock.members("holders")).as(mode).hasSize(1);
			for (String set : List.of("queue", "readers", "admitted")) {
				assertThat(lock.redis.exists(LockOnTheWire.set(set, lock.key))).as(mode + ' ' + set).isZero();
			}
			lock.startOver();
		}
	}

	void allReadersAreClampedWhenTheClockWentBack(LockScriptHarness lock) {
		List<String> readers = List.of(lock.take("R", A), lock.take("R", B), lock.take("R", C));
		readers.forEach((reader) -> lock.shift(reader, 3_600_000));
		lock.fillMemory();
		lock.abandon(request(A));
		assertThat(readers).allSatisfy((reader) -> assertThat(lock.rest(reader)).isBetween(5_000L, 10_000L));
		assertThat(readers).allSatisfy((reader) -> assertThat(lock.status(reader)).isEqualTo("held"));
	}

	void repeatedReaderIsClampedAlsoWhereAnotherLastsLonger(LockScriptHarness lock) {
		lock.acquire("R", request(B), 7_200_000, 0);
		String reader = lock.take("R", A);
		lock.shift(reader, 3_600_000);
		lock.come("R", reader);
		assertThat(lock.rest(reader)).isBetween(5_000L, 10_000L);
	}

	void renewedReaderIsExtendedAlone(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", A);
		String token = lock.get("token");
		lock.fillMemory();
		assertThat(lock.renew(one, 20_000)).isEqualTo(1);
		assertThat(lock.wire.last(lock.key, one)).contains("20000", token);
		assertThat(lock.redis.pttl(LockOnTheWire.set("holders", lock.key))).isBetween(RETENTION + 15_000,
				RETENTION + 20_000);
		assertThat(lock.lines("holders")).anyMatch((line) -> line.endsWith(lock.wire.last(lock.key, one).get(2)));
		assertThat(lock.rest(one)).isBetween(15_000L, 20_000L);
		assertThat(lock.rest(other)).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		assertThat(lock.renew(other, 1_000)).isEqualTo(1);
		assertThat(lock.rest(other)).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
		lock.emptyMemory();
		lock.shift(other, -1);
		assertThat(lock.renew(other, 20_000)).isEqualTo(EXPIRED);
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
		assertThat(lock.status(one)).isEqualTo("released");
		assertThat(lock.hold(other)).isTrue();
		assertThat(lock.hold(one)).isFalse();
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 5_000);
		lock.emptyMemory();
		lock.shift(other, -1);
		assertThat(lock.release(other)).isEqualTo(EXPIRED);
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
		assertThat(lock.hold(other)).isTrue();
		assertThat(lock.hold(one)).isFalse();
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 5_000);
		lock.abandon(other);
		assertThat(lock.get("shared")).isEqualTo("0");
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
		lock.shift(dead, -1);
		String writer = lock.waitFor("X", B);
		List<Object> answer = lock.acquire("R", request(C));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(1L, 5_000L);
		assertThat(answer.get(2)).isEqualTo("");
		lock.release(one);
		assertThat(lock.wakeUps()).isEmpty();
		lock.release(other);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.members("holders")).isEmpty();
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

	/** Readers do not overtake it meanwhile. */
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

	void writerEntryThatEndsTooLateDoesNotCount(LockScriptHarness lock) {
		lock.take("R", A);
		lock.stand(Map.of(B, 3_600_000L));
		lock.take("R", C);
		lock.stand(Map.of(B, -1L));
		lock.take("R", C);
	}

	void waitingReaderThatIsGrantedWaitsNoMore(LockScriptHarness lock) {
		lock.take("R", A);
		lock.waitFor("X", B);
		String reader = lock.waitFor("R", C);
		lock.redis.hdel(lock.key, "waiters");
		lock.come("R", reader);
		assertThat(lock.members("readers")).isEmpty();
	}

	void ownersReaderIsLetInBesideIt(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", B);
		String reader = request(A);
		assertThat(lock.acquire("R", lock.keys().subList(0, 1), request(A), 10_000, 0, 0, 0, 0, request(A)).get(0))
			.isEqualTo(0L);
		assertThat(lock.acquire("R", lock.keys().subList(0, 1), reader, 30_000, 0, 0, 0, 0, writer))
			.isEqualTo(List.of(1L, lock.number("token")));
		assertThat(lock.status(writer)).isEqualTo("held");
		assertThat(lock.line()).containsExactly(B);
		assertThat(lock.hold(reader)).isTrue();
		assertThat(lock.renew(writer, 1_000)).isEqualTo(1);
		assertThat(lock.acquire(writer).get(0)).isEqualTo(1L);
		assertThat(lock.release(writer)).isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(RETENTION + 25_000);
		lock.waitFor("X", C);
		assertThat(lock.release(reader)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void ownersReaderThatReleasesFirstSendsNoWakeUp(LockScriptHarness lock) {
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
