package io.distributedlock.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the scripts must do with readers that wait.
 */
class WaitingReaderChecks {

	void waitingReaderLeavesAWord(LockScriptHarness lock) {
		lock.take("X", A);
		assertThat(lock.acquire("R", request(B)).get(0)).isEqualTo(0L);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("z");
		lock.redis.pexpire(lock.key, 1_000);
		lock.fillMemory();
		String reader = lock.waitFor("R", B);
		assertThat(lock.field("z")).isEqualTo("1");
		assertThat(lock.field("v" + reader)).endsWith(":5000:");
		assertThat(lock.rest("v" + reader)).isBetween(1L, 5_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + 5_000);
		assertThat(lock.field("w")).isNull();
	}

	void readersThatWaitedComeBeforeTheNextWriter(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String next = lock.waitFor("X", C);
		List<String> readers = List.of(lock.waitFor("R", B), lock.waitFor("R", A), lock.waitFor("R", B));
		lock.fillMemory();
		lock.release(writer);
		lock.emptyMemory();
		assertThat(lock.wakeUps()).containsExactly(A + " k", B + " k");
		assertThat(lock.field("w")).as("the writer stays in line").startsWith(C).hasSize(29);
		readers.forEach((reader) -> assertThat(lock.rest("g" + reader)).isBetween(1L, 1_000L));
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("v" + readers.get(0)).containsEntry("z", "1");
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
		assertThat(lock.redis.hgetall(lock.key)).containsKeys("v" + late, "z").doesNotContainKeys("y", "w");
	}

	void readersThatDoNotComeHoldTheNextUpForAMoment(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String reader = lock.waitFor("R", B);
		lock.release(writer);
		String next = lock.waitFor("X", C);
		lock.shift("g" + reader, 3_600_000);
		assertThat((Long) lock.acquire("X", next).get(1)).isBetween(1L, 1_000L);
		lock.shift("g" + reader, -1);
		lock.come("X", next);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "o", "t", "x", "l", "e");
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
		assertThat(lock.field("w")).as("stays in line").startsWith(C);
		lock.come("X", next);
	}

	void readersThatWaitedForAnExpiredWriterAreLetInByTheNext(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String reader = lock.waitFor("R", B);
		lock.expire();
		String next = lock.waitFor("X", C);
		assertThat(lock.wakeUps()).containsExactly(B + ' ' + lock.name());
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("o", "x", "l", "v" + reader)
			.containsKey("g" + reader)
			.containsEntry("a", ',' + writer);
		lock.come("R", reader);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("g" + reader, "z");
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
		assertThat(lock.wakeUps()).containsExactly(B + ' ' + lock.name(), C + ' ' + lock.name());
		assertThat(lock.redis.hgetall(lock.key)).containsKey("g" + other)
			.doesNotContainKeys("g" + reader, "v" + reader, "o");
		lock.waitFor("R", A);
		lock.come("R", other);
	}

	void readersThatWaitedForWhatIsKeptNoLongerAreLetIn(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 20_000);
		String reader = lock.waitFor("R", B);
		lock.release(writer);
		assertThat(lock.wakeUps()).isEmpty();
		lock.move("k", -1);
		lock.waitFor("X", C);
		assertThat(lock.wakeUps()).containsExactly(B + ' ' + lock.name());
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("k", "f").containsKey("g" + reader);
	}

	void releaseForgetsWhatIsKeptNoLonger(LockScriptHarness lock) {
		String writer = request(A);
		lock.take(writer, 10_000, 20_000);
		lock.move("k", -1);
		lock.release(writer);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "e");
	}

	void readersThatWaitedForAnAbandonedWriterAreLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", C);
		String reader = lock.waitFor("R", B);
		lock.abandon(writer);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.redis.hgetall(lock.key)).containsKey("g" + reader);
	}

	void readersBehindAWriterThatGivesUpAreLetIn(LockScriptHarness lock) {
		lock.take("R", A);
		String writer = lock.waitFor("X", B);
		String reader = lock.waitFor("R", C);
		lock.abandon(lock.waitFor("R", C));
		assertThat(lock.wakeUps()).isEmpty();
		lock.abandon(writer);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(lock.redis.hgetall(lock.key)).containsKey("g" + reader);
		lock.come("R", reader);
	}

	void readerThatGivesUpLeavesTheWordOfItsInstance(LockScriptHarness lock) {
		lock.take("X", A);
		lock.waitFor("X", B);
		String reader = lock.waitFor("R", B);
		lock.abandon(reader);
		assertThat(lock.field("w")).startsWith(B);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKey("v" + reader);
	}

	void readerThatIsGrantedLeavesTheWordOfItsInstance(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		lock.waitFor("X", B);
		String reader = lock.waitFor("R", B);
		lock.release(writer);
		lock.come("R", reader);
		assertThat(lock.field("w")).startsWith(B);
	}

	void deadWaitingReaderIsNotLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		String reader = lock.waitFor("R", B);
		lock.shift("v" + reader, -1);
		lock.release(writer);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "e");
	}

	void manyWaitingReadersAreLetIn(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		Map<String, String> many = new HashMap<>();
		String word = (lock.now() + 50_000) + ":50000:";
		for (int i = 0; i < 9_000; i++) {
			many.put("v" + request(B), word);
		}
		lock.redis.hset(lock.key, many);
		lock.waitFor("R", B);
		lock.release(writer);
		List<String> fields = lock.redis.hkeys(lock.key);
		assertThat(fields.stream().filter((name) -> name.startsWith("g"))).hasSize(9_001);
		assertThat(fields.stream().filter((name) -> name.startsWith("v"))).isEmpty();
	}

}
