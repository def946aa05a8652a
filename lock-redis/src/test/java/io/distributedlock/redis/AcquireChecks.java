package io.distributedlock.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static io.distributedlock.redis.LockScriptHarness.twin;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The checks of lock.lua and acquire.lua.
 */
class AcquireChecks {

	/** A token that the server's clock has not reached. */
	private static final long FAR = 3_000_000_000_000_000L;

	void freeLockIsGrantedWithAllFields(LockScriptHarness lock) {
		String request = request(A);
		long micros = lock.now() * 1_000;
		long token = lock.take(request, 10_000, 0);
		assertThat(token).isBetween(micros, micros + 5_000_000);
		assertThat(lock.redis.hkeys(lock.key)).containsExactly("state");
		assertThat(lock.wire.show(lock.key)).contains("version 5", "status held", "shared 0", "owner " + request,
				"lease 10000", "token " + token, "mark 00000000", "kept 0", "keptFor 0", "sweepAt 0", "permits 0");
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
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
		assertThat(lock.left("deadline")).isBetween(15_000L, 20_000L);
		assertThat(lock.get("lease")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
	}

	/** The clock was set back, so it does not help. */
	void spareTokensAreOfNoOtherRequest(LockScriptHarness lock) {
		lock.spareTokens = 100;
		long token = (Long) lock.acquire(List.of(lock.key), request(A), 10_000, 0, FAR, 0).get(1);
		lock.expire();
		assertThat(lock.take(request(B), 10_000, 0)).isEqualTo(token + 101);
	}

	/** The request may have got the lock before the callers asked who get the tokens. */
	void repeatedRequestWithSpareTokensGetsATokenOfNow(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.set("token", 5);
		lock.spareTokens = 100;
		long micros = lock.now() * 1_000;
		long token = (Long) lock.acquire(request).get(1);
		assertThat(token).isBetween(micros, micros + 5_000_000);
		assertThat(lock.number("token")).isEqualTo(token + 100);
	}

	void repeatedRequestWithSpareTokensGetsOneBehindThoseOfTheLock(LockScriptHarness lock) {
		String request = request(A);
		lock.spareTokens = 100;
		lock.acquire(request, 10_000, 0, FAR, 0);
		assertThat(lock.number("token")).isEqualTo(FAR + 101);
		assertThat(lock.acquire(request)).isEqualTo(List.of(1L, FAR + 102));
		assertThat(lock.number("token")).isEqualTo(FAR + 202);
	}

	void repeatedRequestWithSpareTokensGetsOneBehindThoseSeen(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.spareTokens = 100;
		assertThat(lock.acquire(request, 10_000, 0, FAR, 0)).isEqualTo(List.of(1L, FAR + 1));
		assertThat(lock.number("token")).isEqualTo(FAR + 101);
	}

	void grantSaysWhetherOtherInstancesAreInLine(LockScriptHarness lock) {
		String first = request(A);
		lock.take(first, 10_000, 0);
		assertThat(lock.contended).isFalse();
		lock.waitFor(request(B));
		lock.release(first);
		lock.take(request(A), 10_000, 0);
		assertThat(lock.contended).isTrue();
	}

	void grantDoesNotCountItsOwnEntryInLine(LockScriptHarness lock) {
		String first = request(B);
		lock.take(first, 10_000, 0);
		lock.waitFor(request(A, 1));
		lock.release(first);
		lock.take(request(A, 1), 10_000, 0);
		assertThat(lock.contended).isFalse();
	}

	void repeatedRequestNeverShortens(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 30_000);
		assertThat(lock.acquire(request, 100, 0, 0, 0)).isEqualTo(List.of(1L, token));
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
		assertThat(lock.number("lease")).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void repeatedRequestPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		long token = lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.acquire(request, 20_000, 0, 0, 0)).isEqualTo(List.of(1L, token));
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

	void releasedRequestsAreRefusedHoweverManyCameAfterThem(LockScriptHarness lock) {
		List<String> released = Stream.generate(() -> request(A)).limit(200).toList();
		for (String request : released) {
			lock.take(request, 10_000, 0);
			lock.release(request);
		}
		lock.take(request(B), 10_000, 0);
		assertThat(released).allSatisfy((request) -> assertThat(lock.acquire(request)).isEqualTo(List.of(2L)));
		assertThat(lock.lines("last")).hasSize(200);
	}

	void requestsOfOneContenderTakeOneRegister(LockScriptHarness lock) {
		List<String> released = Stream.generate(() -> request(A, 0)).limit(20).toList();
		for (String request : released) {
			lock.take(request, 10_000, 0);
			lock.release(request);
		}
		lock.take(request(B), 10_000, 0);
		assertThat(released).allSatisfy((request) -> assertThat(lock.acquire(request)).isEqualTo(List.of(2L)));
		assertThat(lock.lines("last")).hasSize(1);
		assertThat(lock.status(released.get(19))).isEqualTo("released");
	}

	void expiredOwnerIsGoneWhenAnotherHasTheLock(LockScriptHarness lock) {
		String expired = request(A);
		lock.take(expired, 10_000, 0);
		lock.expire();
		lock.take(request(B), 10_000, 0);
		assertThat(lock.status(expired)).isEqualTo("gone");
		assertThat(lock.left("sweepAt")).isBetween(RETENTION - 5_000, RETENTION);
		lock.expire();
		lock.set("sweepAt", lock.now() + 3_000);
		lock.take(request(C), 10_000, 0);
		assertThat(lock.left("sweepAt")).isLessThanOrEqualTo(3_000);
	}

	void laterRequestOfTheContenderIsBusyWhileTheEarlierHoldsTheLock(LockScriptHarness lock) {
		String earlier = request(A, 7);
		String later = request(A, 7);
		lock.take(earlier, 10_000, 0);
		List<Object> answer = lock.acquire(later);
		assertThat(answer.get(0)).isEqualTo(0L);
		assertThat((Long) answer.get(1)).isBetween(5_000L, 10_000L);
		assertThat(answer.get(2)).isEqualTo(A);
		lock.expire();
		lock.take(later, 10_000, 0);
		assertThat(lock.acquire(earlier)).isEqualTo(List.of(2L));
		assertThat(lock.lines("last")).isEmpty();
	}

	void requestWithTheNumberOfAnotherProcessIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		assertThat(lock.acquire(twin(request))).isEqualTo(List.of(2L));
		lock.release(request);
		assertThat(lock.acquire(twin(request))).isEqualTo(List.of(2L));
		lock.take(request(B), 10_000, 0);
		lock.expire();
		assertThat(lock.acquire(twin(request))).isEqualTo(List.of(2L));
	}

	void endedRequestIsForgottenAfterTheRetention(LockScriptHarness lock) {
		String released = request(A);
		lock.take(released, 10_000, 0);
		lock.release(released);
		lock.release(lock.take("X", B));
		lock.shift(released, -RETENTION + 2_000);
		assertThat(lock.acquire(released)).isEqualTo(List.of(2L));
		lock.shift(released, -RETENTION - 2_000);
		assertThat(lock.acquire(released).get(0)).isEqualTo(1L);
	}

	void endedRequestsAreSweptNowAndThen(LockScriptHarness lock) {
		List<String> ended = Stream.generate(() -> lock.take("X", A)).limit(3).peek(lock::release).toList();
		lock.release(lock.take("X", B));
		ended.subList(0, 2).forEach((request) -> lock.shift(request, -RETENTION - 2_000));
		lock.release(lock.take("X", B));
		assertThat(lock.lines("last")).as("not yet").hasSize(4);
		lock.move("sweepAt", -1);
		lock.release(lock.take("X", B));
		assertThat(lock.status(ended.get(0))).isNull();
		assertThat(lock.status(ended.get(2))).isEqualTo("released");
		assertThat(lock.left("sweepAt")).isBetween(RETENTION - 5_000, RETENTION);
		lock.shift(ended.get(2), -RETENTION - 2_000);
		lock.move("sweepAt", 3_600_000);
		lock.release(lock.take("X", B));
		assertThat(lock.status(ended.get(2))).as("the clock went back").isNull();
	}

	void manyEndedRequestsAreSweptSomeAtATime(LockScriptHarness lock) {
		String register = text(lock, 0);
		for (int i = 0; i < 1_000; i++) {
			lock.redis.hset(lock.key, "by" + LockScriptHarness.bytes("%020x".formatted(i)), register);
		}
		lock.set("version", 5);
		lock.take(request(A), 10_000, 0);
		int sweeps = 0;
		for (lock.move("sweepAt", -1); lock.left("sweepAt") < 0; sweeps++) {
			lock.acquire(request(B));
			assertThat(lock.redis.hexists(lock.key, "sweep")).isEqualTo(lock.left("sweepAt") < 0);
		}
		assertThat(sweeps).isBetween(2, 50);
		assertThat(lock.redis.hkeys(lock.key)).containsExactly("state");
	}

	/** That of a request that was released at a time. */
	private static String text(LockScriptHarness lock, long time) {
		return LockScriptHarness.bytes("%012x".formatted(1L << 12) + "00" + "%012x".formatted(time) + "00".repeat(19));
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
		lock.move("kept", -1);
		lock.take(request(B), 10_000, 0);
		assertThat(lock.wire.show(lock.key)).contains("kept 0", "keptFor 0");
	}

	void tokenIsLargerThanTheLastAlsoWhenTheClockWentBack(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		long last = lock.now() * 1_000 + 9_000_000_000L;
		lock.set("token", last);
		lock.expire();
		assertThat(lock.take(request(B), 10_000, 0)).isEqualTo(last + 1);
		assertThat(lock.get("token")).isEqualTo(Long.toString(last + 1));
	}

	void tokenIsLargerThanTheHighestSeenAlsoWhenTheKeyIsLost(LockScriptHarness lock) {
		long seen = lock.now() * 1_000 + 9_000_000_000L;
		assertThat(lock.acquire(request(A), 10_000, 0, seen, 0)).isEqualTo(List.of(1L, seen + 1));
	}

	void deadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.move("deadline", 3_600_000);
		assertThat((Long) lock.acquire(request(B)).get(1)).isBetween(5_000L, 10_000L);
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
	}

	void keptDeadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 20_000);
		lock.move("kept", 3_600_000);
		assertThat((Long) lock.acquire(request(B)).get(1)).isBetween(15_000L, 20_000L);
		assertThat(lock.left("kept")).isBetween(15_000L, 20_000L);
	}

	void repeatedRequestIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.move("deadline", 3_600_000);
		lock.acquire(request);
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
	}

	void lockOfALaterVersionIsLeftAlone(LockScriptHarness lock) {
		lock.redis.hset(lock.key, "state", "\6");
		assertThatThrownBy(() -> lock.acquire(request(A))).hasMessageStartingWith("LOCKVERSION");
		assertThat(lock.redis.hgetall(lock.key)).containsExactly(Map.entry("state", "\6"));
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
		lock.waitFor(request(B, 1));
		lock.waitFor(request(C));
		lock.waitFor(request(B, 1));
		assertThat(lock.line()).containsExactly(B, C);
	}

	void requestsOfOneInstanceStandInLineSideBySide(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.waitFor(request(B, 1));
		lock.waitFor(request(C));
		lock.waitFor(request(B, 2));
		lock.waitFor(request(B, 1));
		lock.waitFor(request(B, 2));
		assertThat(lock.line()).containsExactly(B, C, B);
		lock.abandon(request(B, 1));
		assertThat(lock.line()).containsExactly(C, B);
	}

	void waiterRefreshesItsEntry(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.acquire(request(B, 1), 10_000, 0, 0, 100);
		lock.acquire(request(B, 1), 10_000, 0, 0, 50_000);
		assertThat(Long.parseLong(lock.lines("waiter").get(0).split(" ")[1]) - lock.now()).isBetween(45_000L, 50_000L);
	}

	void busyRequestThatDoesNotWaitLeavesNoWaiterEntry(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.acquire(request(B));
		assertThat(lock.line()).isEmpty();
	}

	void deadWaitersArePrunedByTheNext(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.stand(Map.of(B, -1L));
		lock.waitFor(request(C));
		assertThat(lock.line()).containsExactly(C);
	}

	void moreThanAHundredInstancesStandInLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		List<String> crowd = IntStream.range(0, 130).mapToObj("%016x"::formatted).toList();
		crowd.forEach((instance) -> lock.waitFor(request(instance, 1)));
		lock.waitFor(request(B));
		lock.waitFor(request(crowd.get(7), 1));
		lock.waitFor(request(C));
		assertThat(lock.line()).startsWith(crowd.toArray(String[]::new)).endsWith(B, C).hasSize(132);
	}

	void lineOfTheLongestLengthTakesNoOtherInstance(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.stand(crowd(512));
		lock.waitFor(request(B));
		assertThat(lock.line()).hasSize(512).doesNotContain(B).last().isEqualTo("%016x".formatted(511));
		lock.waitFor(request("%016x".formatted(511), 0));
		assertThat(lock.line()).hasSize(512);
	}

	void lineOfTheLongestLengthIsClearedOfTheDead(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		Map<String, Long> crowd = crowd(512);
		crowd.put("%016x".formatted(300), -1L);
		lock.stand(crowd);
		lock.waitFor(request(B));
		assertThat(lock.line()).hasSize(512).doesNotContain("%016x".formatted(300)).last().isEqualTo(B);
	}

	void lineOfALockThatOthersShareIsShorter(LockScriptHarness lock) {
		lock.take("R", A);
		lock.stand(crowd(64));
		lock.waitFor(request(B));
		assertThat(lock.line()).hasSize(64).doesNotContain(B);
	}

	private static Map<String, Long> crowd(int size) {
		Map<String, Long> crowd = new LinkedHashMap<>();
		IntStream.range(0, size).forEach((i) -> crowd.put("%016x".formatted(i), 30_000L));
		return crowd;
	}

	/** The request of an entry may look like the instance of another one. */
	void placeOfAnInstanceIsItsOwn(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.claim = 800;
		String other = C + "0042" + "000000123000";
		lock.waitFor(other);
		String hidden = other.substring(16);
		lock.waitFor(request(hidden, 1));
		lock.waitFor(request(B));
		lock.waitFor(request(hidden, 1));
		assertThat(lock.line()).containsExactly(C, hidden, B);
	}

	void instanceWhoseEntryIsOverStandsAtTheEnd(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		Map<String, Long> line = new LinkedHashMap<>();
		line.put("%016x".formatted(1), 30_000L);
		line.put(B, -1L);
		line.put(C, 30_000L);
		lock.stand(line);
		lock.waitFor(request(B, 0));
		assertThat(lock.line()).containsExactly("%016x".formatted(1), C, B);
	}

	void grantToAWaiterShowsWhetherOthersAreInLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		Map<String, Long> line = new LinkedHashMap<>();
		line.put(B, 30_000L);
		line.put(C, -1L);
		lock.stand(line);
		lock.expire();
		lock.take(request(B, 0), 10_000, 0);
		assertThat(lock.contended).isFalse();
		assertThat(lock.line()).isEmpty();
	}

	void grantedWaiterLeavesTheLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.waitFor(request(B, 1));
		lock.waitFor(request(C, 1));
		lock.expire();
		lock.take(request(B, 1), 10_000, 0);
		assertThat(lock.line()).containsExactly(C);
		lock.expire();
		lock.take(request(C, 1), 10_000, 0);
		assertThat(lock.line()).isEmpty();
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
