package io.distributedlock.redis;

import java.util.List;

import io.lettuce.core.ScriptOutputType;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks how the scripts treat readers that wait.
 */
class WaitingReaderChecks {

	/** They grew with every instance that came and went, and all were told at last. */
	void instancesOfReadersThatHaveLeftAreNotWokenOnceNoneWaits(LockScriptHarness lock) {
		for (String mode : List.of("X", "F")) {
			String owner = lock.take("X", A);
			if (mode.equals("F")) {
				lock.waitFor("F", A);
			}
			lock.abandon(lock.waitFor("R", B));
			lock.waitFor("R", C);
			lock.release(owner);
			assertThat(lock.wakeUps()).as(mode).containsExactly(C + " k");
			lock.startOver();
		}
	}

	void waitingReaderLeavesAWaiterEntry(LockScriptHarness lock) {
		lock.take("X", A);
		assertThat(lock.acquire("R", request(B)).get(0)).isEqualTo(0L);
		assertThat(lock.get("shared")).isEqualTo("0");
		lock.redis.pexpire(lock.key, 1_000);
		lock.fillMemory();
		String reader = lock.waitFor("R", B);
		assertThat(lock.get("shared")).isEqualTo("1");
		assertThat(lock.lines("readers")).singleElement()
			.satisfies((line) -> assertThat(Long.parseLong(line.substring(reader.length() + 1)) - lock.now())
				.isBetween(1L, 5_000L));
		assertThat(lock.lines("wake")).containsExactly(B);
		assertThat(lock.redis.pttl(LockOnTheWire.set("readers", lock.key))).isBetween(RETENTION, RETENTION + 5_000);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + 5_000);
		assertThat(lock.line()).isEmpty();
	}

	void readersThatWaitedComeBeforeTheNextWriter(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String next = lock.waitFor("X", C);
		List<String> readers = List.of(lock.waitFor("R", B), lock.waitFor("R", A), lock.waitFor("R", B));
		lock.fillMemory();
		lock.release(writer);
		lock.emptyMemory();
		assertThat(lock.wakeUps()).as("in the order in which they came").containsExactly(B + " k", A + " k");
		assertThat(lock.lines("wake")).isEmpty();
		assertThat(lock.line()).as("the writer stays in line").containsExactly(C);
		assertThat(lock.redis.pttl(lock.admitted())).isBetween(1L, 1_000L);
		assertThat(lock.members("admitted")).containsExactlyInAnyOrderElementsOf(readers);
		assertThat(lock.members("readers")).isEmpty();
		assertThat(lock.get("shared")).isEqualTo("1");
		List<Object> answer = lock.acquire("X", request(C));
		assertThat((Long) answer.get(1)).isBetween(1L, 1_000L);
		assertThat(answer.get(2)).isEqualTo("");
		String late = lock.waitFor("R", C);
		readers.forEach((reader) -> lock.come("R", reader));
		lock.waitAgain("X", next);
		readers.forEach(lock::release);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		lock.waitAgain("R", late);
		lock.come("X", next);
		assertThat(lock.members("readers")).containsExactly(late);
		assertThat(lock.members("holders")).isEmpty();
		assertThat(lock.line()).isEmpty();
	}

	void readersThatDoNotComeHoldTheNextUpForAMoment(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String reader = lock.waitFor("R", B);
		lock.release(writer);
		String next = lock.waitFor("X", C);
		assertThat(lock.members("admitted")).containsExactly(reader);
		lock.redis.pexpire(lock.admitted(), 3_600_000);
		assertThat((Long) lock.acquire("X", next).get(1)).isBetween(1L, 1_000L);
		lock.redis.del(lock.admitted());
		lock.come("X", next);
		assertThat(lock.get("shared")).isEqualTo("0");
	}

	void readerThatIsAbandonedInsteadOfComingLetsTheNextIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String next = lock.waitFor("X", C);
		String reader = lock.waitFor("R", B);
		String other = lock.waitFor("R", B);
		lock.release(writer);
		lock.wakeUps();
		lock.abandon(reader);
		assertThat(lock.wakeUps()).isEmpty();
		lock.abandon(other);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(lock.line()).as("stays in line").startsWith(C);
		lock.come("X", next);
	}

	void readersThatWaitedForAnExpiredWriterAreLetInByTheNext(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String reader = lock.waitFor("R", B);
		lock.expire();
		String next = lock.waitFor("X", C);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.status(writer)).isEqualTo("gone");
		assertThat(lock.members("readers")).isEmpty();
		assertThat(lock.members("admitted")).containsExactly(reader);
		lock.come("R", reader);
		assertThat(lock.members("admitted")).isEmpty();
		lock.release(reader);
		lock.come("X", next);
	}

	void readersThatWaitedForAnExpiredWriterLetEachOtherIn(LockScriptHarness lock) {
		lock.take("X", A);
		String reader = lock.waitFor("R", B);
		String other = lock.waitFor("R", C);
		lock.waitFor("X", A);
		lock.expire();
		lock.come("R", reader);
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k");
		assertThat(lock.members("admitted")).containsExactly(other);
		assertThat(lock.members("readers")).isEmpty();
		assertThat(lock.get("status")).isEqualTo("gone");
		lock.waitFor("R", A);
		lock.come("R", other);
	}

	void readersThatWaitedForAKeptLockAreAdmittedWhenThatEnds(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 20_000);
		String reader = lock.waitFor("R", B);
		lock.release(writer);
		assertThat(lock.wakeUps()).isEmpty();
		lock.move("kept", -1);
		lock.waitFor("X", C);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.wire.show(lock.key)).contains("kept 0", "keptFor 0");
		assertThat(lock.members("admitted")).containsExactly(reader);
	}

	void readersThatComeAfterAnExpiryWasNoticedDoNotOvertake(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		readBeside(writer, lock);
		lock.expire();
		String next = lock.waitFor("X", C);
		assertThat(lock.wire.show(lock.key)).contains("status held", "deadline 0", "lease 0");
		assertNoReaderComesBefore(next, lock);
		assertThat(lock.release(writer)).isOne();
		assertNoReaderComesBefore(next, lock);
	}

	void readersAfterTheNoticedEndOfAKeptLockDoNotOvertake(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 20_000);
		readBeside(writer, lock);
		lock.release(writer);
		lock.move("kept", -1);
		String next = lock.waitFor("X", C);
		assertThat(lock.wire.show(lock.key)).contains("status released", "kept 0", "keptFor 0");
		assertNoReaderComesBefore(next, lock);
	}

	private static void readBeside(String writer, LockScriptHarness lock) {
		lock.acquire("R", List.of(lock.key), request(A), 10_000, 0, 0, 0, 0, writer);
		assertThat(lock.members("holders")).hasSize(1);
	}

	private static void assertNoReaderComesBefore(String next, LockScriptHarness lock) {
		String reader = lock.waitFor("R", B);
		lock.waitAgain("X", next);
		assertThat(lock.wakeUps()).isEmpty();
		lock.waitAgain("R", reader);
	}

	void releaseRemovesAnExpiredKeepTime(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 20_000);
		lock.move("kept", -1);
		lock.release(writer);
		assertThat(lock.wire.show(lock.key)).contains("status released", "kept 0", "keptFor 0");
	}

	void readersThatWaitedForAnAbandonedWriterAreLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", C);
		String reader = lock.waitFor("R", B);
		lock.abandon(writer);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.members("admitted")).containsExactly(reader);
	}

	void readersBehindAWriterThatGivesUpAreLetIn(LockScriptHarness lock) {
		lock.take("R", A);
		String writer = lock.waitFor("X", B);
		String reader = lock.waitFor("R", C);
		lock.abandon(lock.waitFor("R", C));
		assertThat(lock.wakeUps()).isEmpty();
		lock.abandon(writer);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(lock.members("admitted")).containsExactly(reader);
		lock.come("R", reader);
	}

	void readerThatGivesUpKeepsTheWaiterEntryOfItsInstance(LockScriptHarness lock) {
		lock.take("X", A);
		lock.waitFor("X", B);
		String reader = lock.waitFor("R", B);
		lock.abandon(reader);
		assertThat(lock.line()).startsWith(B);
		assertThat(lock.members("readers")).isEmpty();
	}

	void readerThatIsGrantedKeepsTheWaiterEntryOfItsInstance(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", B);
		String reader = lock.waitFor("R", B);
		lock.release(writer);
		lock.come("R", reader);
		assertThat(lock.line()).startsWith(B);
	}

	void deadWaitingReaderIsNotLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String reader = lock.waitFor("R", B);
		lock.shiftReader(reader, -1);
		lock.release(writer);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.get("shared")).isEqualTo("0");
	}

	void waitingReaderWhoseEntryEndsTooLateIsNotLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.shiftReader(lock.waitFor("R", B), 3_600_000);
		lock.release(writer);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.members("readers")).isEmpty();
	}

	void furtherReadersAreLetInBesideThoseThatHaveNotComeYet(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String first = lock.waitFor("R", B);
		lock.release(writer);
		lock.way = "retake";
		writer = lock.take("X", A);
		lock.way = "turn";
		String second = lock.waitFor("R", C);
		lock.redis.pexpire(lock.admitted(), 300);
		lock.release(writer);
		assertThat(lock.members("admitted")).containsExactlyInAnyOrder(first, second);
		assertThat(lock.members("readers")).isEmpty();
		assertThat(lock.redis.pttl(lock.admitted())).isBetween(301L, 1_000L);
	}

	void manyWaitingReadersAreLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("R", B);
		lock.redis.eval("for i = 1, 9000 do redis.call('ZADD', KEYS[1], ARGV[1], string.format('%016d', i)) end",
				ScriptOutputType.STATUS, new String[] { LockOnTheWire.set("readers", lock.key) },
				Long.toString(lock.now() + 50_000));
		lock.release(writer);
		assertThat(lock.redis.zcard(lock.admitted())).isEqualTo(9_001);
		assertThat(lock.members("readers")).isEmpty();
	}

}
