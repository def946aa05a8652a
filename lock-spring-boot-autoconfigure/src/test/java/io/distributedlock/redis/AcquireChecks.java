package io.distributedlock.redis;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What acquire.lua must do.
 */
class AcquireChecks {

	void freeLockIsGrantedWithAllFields(LockScriptHarness lock) {
		String request = request(A);
		long micros = lock.now() * 1_000;
		long token = lock.take(request, 10_000, 0);
		assertThat(token).isBetween(micros, micros + 5_000_000);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "o", "t", "x", "l")
			.containsEntry("m", "X")
			.containsEntry("o", request)
			.containsEntry("t", Long.toString(token))
			.containsEntry("l", "10000");
		assertThat(lock.left("x")).isBetween(5_000L, 10_000L);
	}

	void freeLockKeyLivesAsLongAsLeaseAndRetention(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
	}

	void keptLockKeyLivesAsLongAsItIsKeptAndRetention(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 30_000);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void repeatedRequestKeepsTokenAndLengthens(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		assertThat(lock.acquire(request, 20_000, 0, 0, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.left("x")).isBetween(15_000L, 20_000L);
		assertThat(lock.field("l")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
	}

	void repeatedRequestNeverShortens(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 30_000);
		assertThat(lock.acquire(request, 100, 0, 0, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.left("x")).isBetween(5_000L, 10_000L);
		assertThat(Long.parseLong(lock.field("l"))).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void repeatedRequestPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.acquire(request)).isEqualTo(List.of(1L, token));
	}

	void repeatedRequestOfExpiredLeaseIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.expire();
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void expiredAndReplacedRequestIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.expire();
		String next = request(B);
		lock.take(next, 10_000, 0);
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
		lock.release(next);
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void lastEightReleasedRequestsAreRefused(LockScriptHarness lock) {
		List<String> released = Stream.generate(() -> request(A)).limit(8).toList();
		for (String request : released) {
			lock.take(request, 10_000, 0);
			lock.release(request);
		}
		lock.take(request(B), 10_000, 0);
		assertThat(released).allSatisfy((request) -> assertThat(lock.acquire(request)).isEqualTo(List.of(2L)));
		assertThat(lock.field("e")).hasSize(8 * 33);
	}

	void lastSixtyFourExpiredRequestsAreRefused(LockScriptHarness lock) {
		List<String> expired = Stream.generate(() -> request(A)).limit(64).toList();
		for (String request : expired) {
			lock.take(request, 10_000, 0);
			lock.expire();
		}
		lock.take(request(B), 10_000, 0);
		assertThat(expired).allSatisfy((request) -> assertThat(lock.acquire(request)).isEqualTo(List.of(2L)));
		lock.expire();
		lock.take(request(B), 10_000, 0);
		assertThat(lock.field("a")).hasSize(64 * 33);
		assertThat(lock.field("e")).isNull();
	}

	void heldLockIsBusyWithHolderAndRemaining(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		List<Object> answer = lock.acquire(request(B));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(5_000L, 10_000L);
		assertThat(answer.subList(2, 4)).isEqualTo(List.of(A, 0L));
	}

	void heldAndKeptLockIsBusyForTheLonger(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 30_000);
		List<Object> answer = lock.acquire(request(B));
		assertThat((Long) answer.get(1)).isBetween(25_000L, 30_000L);
		assertThat(answer.get(2)).isEqualTo(A);
	}

	void keptLockOfAnExpiredHolderIsBusyWithoutHolder(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 30_000);
		lock.expire();
		List<Object> answer = lock.acquire(request(B));
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(25_000L, 30_000L);
		assertThat(answer.get(2)).isEqualTo("");
	}

	void noLongerKeptLockIsGrantedAndForgetsIt(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 30_000);
		lock.expire();
		lock.move("k", -1);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.redis.hgetall(lock.key)).doesNotContainKeys("k", "f");
	}

	void tokenIsLargerThanTheLastAlsoWhenTheClockWentBack(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.redis.hset(lock.key, "t", Long.toString(last));
		lock.expire();
		assertThat(lock.take(request(B), 10_000, 0)).isEqualTo(last + 1);
		assertThat(lock.field("t")).isEqualTo(Long.toString(last + 1));
	}

	void tokenIsLargerThanTheHighestSeenAlsoWhenTheKeyIsLost(LockScriptHarness lock) {
		long seen = lock.now() * 1_000 + 9_000_000_000L;
		assertThat(lock.acquire(request(A), 10_000, 0, seen, 0)).isEqualTo(List.of(1L, seen + 1));
	}

	void deadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.move("x", 3_600_000);
		assertThat((Long) lock.acquire(request(B)).get(1)).isBetween(5_000L, 10_000L);
		assertThat(lock.left("x")).isBetween(5_000L, 10_000L);
	}

	void keptDeadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 20_000);
		lock.move("k", 3_600_000);
		assertThat((Long) lock.acquire(request(B)).get(1)).isBetween(15_000L, 20_000L);
		assertThat(lock.left("k")).isBetween(15_000L, 20_000L);
	}

	void repeatedRequestIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.move("x", 3_600_000);
		lock.acquire(request);
		assertThat(lock.left("x")).isBetween(5_000L, 10_000L);
	}

	void anotherKindOfLockIsNamedAndLeftAlone(LockScriptHarness lock) {
		lock.redis.hset(lock.key, "m", "Z");
		assertThat(lock.acquire(request(A))).isEqualTo(List.of(3L, "Z", 0L, 0L));
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m");
	}

	void foreignValueIsAnError(LockScriptHarness lock) {
		lock.redis.set(lock.key, "x");
		assertThatThrownBy(() -> lock.acquire(request(A))).hasMessageContaining("WRONGTYPE");
	}

	void newRequestIsRefusedWithoutMemoryAndLeavesNothing(LockScriptHarness lock) {
		lock.fillMemory();
		assertThatThrownBy(() -> lock.acquire(request(A))).hasMessageContaining("OOM");
		assertThat(lock.redis.exists(lock.key)).isZero();
	}

	void busyLockIsBusyWithoutMemory(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.fillMemory();
		assertThat(lock.waitFor(request(B)).get(0)).isEqualTo(0L);
	}

	void replicaDoesNotAnswerBusy(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.acquire(request(B))).hasMessageContaining("READONLY");
	}

	void waitersStandInLineOnceEach(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.waitFor(request(B));
		assertThat(instances(lock.field("w"))).containsExactly(B, C);
	}

	void waiterRefreshesItsWord(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.acquire(request(B), 10_000, 0, 0, 100);
		lock.acquire(request(B), 10_000, 0, 0, 50_000);
		assertThat(Long.parseLong(lock.field("w").substring(16)) - lock.now()).isBetween(45_000L, 50_000L);
	}

	void wordThatIsLeftWhereNobodyHasTheLockEnds(LockScriptHarness lock) {
		lock.way = "Q";
		assertThat(lock.waitFor(request(B)).get(0)).isEqualTo(0L);
		assertThat(lock.field("w")).startsWith(B);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION, RETENTION + 5_000);
	}

	void busyRequestThatDoesNotWaitLeavesNoWord(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.acquire(request(B));
		assertThat(lock.field("w")).isNull();
	}

	void deadWaitersArePrunedByTheNext(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.redis.hset(lock.key, "w", B + "%013d".formatted(lock.now() - 1));
		lock.waitFor(request(C));
		assertThat(instances(lock.field("w"))).containsExactly(C);
	}

	void atMostSixtyFourInstancesStandInLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		for (int i = 0; i < 64; i++) {
			lock.waitFor(request("%016x".formatted(i)));
		}
		lock.waitFor(request(B));
		assertThat(instances(lock.field("w"))).hasSize(64).doesNotContain(B).contains("%016x".formatted(63));
		lock.waitFor(request("%016x".formatted(63)));
		assertThat(instances(lock.field("w"))).hasSize(64);
	}

	void grantedWaiterLeavesTheLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.expire();
		lock.take(request(B), 10_000, 0);
		assertThat(instances(lock.field("w"))).containsExactly(C);
		lock.expire();
		lock.take(request(C), 10_000, 0);
		assertThat(lock.field("w")).isNull();
	}

	private static List<String> instances(String waiters) {
		assertThat(waiters.length() % 29).isZero();
		return IntStream.range(0, waiters.length() / 29)
			.mapToObj((i) -> waiters.substring(i * 29, i * 29 + 16))
			.toList();
	}

	void markGoesWithTheOwnerWhoseLeaseRanOut(LockScriptHarness lock) {
		for (String mode : List.of("X", "R")) {
			String owner = lock.take("X", A);
			lock.renew(owner, 10_000, ONE);
			lock.expire();
			String next = lock.take(mode, B);
			assertThat(lock.renew(next, 10_000, OTHER)).as(mode).isEqualTo(1);
			lock.release(next, OTHER);
			assertThat(lock.renew(lock.take("X", C), 10_000, OTHER)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

}
