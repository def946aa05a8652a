package io.distributedlock.redis;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requirements for the scripts with requests that take several permits, mostly of
 * five, and with a number of permits that is set for all requests.
 */
class PermitChecks {

	private static final String D = "dddddddddddddddd";

	void severalPermitsAreTakenAllOrNone(LockScriptHarness lock) {
		String large = take(lock, A, 3);
		assertThat(lock.wire.last(lock.key, large)).contains("held", "3");
		assertThat(lock.members("holders")).containsExactly(contender(large), contender(large) + "0002",
				contender(large) + "0003");
		assertThat(attempt(lock, request(B), 3).get(0)).isEqualTo(0L);
		String rest = take(lock, B, 2);
		assertThat(attempt(lock, request(C), 1).get(0)).isEqualTo(0L);
		assertThat(lock.release(large)).isEqualTo(1);
		assertThat(lock.members("holders")).containsExactly(contender(rest), contender(rest) + "0002");
		take(lock, C, 3);
		assertThat(attempt(lock, request(D), 1).get(0)).isEqualTo(0L);
	}

	void busyRequestLearnsWhenEnoughPermitsAreFree(LockScriptHarness lock) {
		acquire(lock, request(A), 2, 10_000, 0);
		acquire(lock, request(B), 2, 20_000, 0);
		acquire(lock, request(C), 1, 30_000, 0);
		Stream
			.of(List.of(1, 10_000, A), List.of(2, 10_000, A), List.of(3, 20_000, B), List.of(4, 20_000, B),
					List.of(5, 30_000, C))
			.forEach((row) -> {
				List<Object> answer = attempt(lock, request(D), (int) row.get(0));
				assertThat((Long) answer.get(1)).as(row.toString())
					.isBetween((int) row.get(1) - 5_000L, (long) (int) row.get(1));
				assertThat(answer.get(2)).isEqualTo(row.get(2));
			});
	}

	void severalPermitsAreRenewedExtendedAndRaisedAsOne(LockScriptHarness lock) {
		String large = take(lock, A, 3);
		assertThat(lock.renew(large, 20_000, ONE)).isEqualTo(1);
		assertLeft(lock, 15_000, 20_000);
		assertThat(lock.extend(large, 40_000, "33333333," + ONE)).isEqualTo(1);
		assertLeft(lock, 35_000, 40_000);
		lock.take = 3;
		assertThat(acquire(lock, large, 3, 60_000, 0).get(0)).as("repeated").isEqualTo(1L);
		assertLeft(lock, 55_000, 60_000);
		assertThat(lock.raise(large, lock.now() * 1_000 + 9_000_000_000L)).isEqualTo(1);
		assertThat(lock.wire.last(lock.key, large)).contains("3");
		assertThat(lock.release(large, "33333333")).isEqualTo(1);
		assertThat(lock.members("holders")).isEmpty();
	}

	/** All of its members end at one time. */
	private static void assertLeft(LockScriptHarness lock, long from, long to) {
		assertThat(lock.lines("holders")).hasSize(3)
			.extracting((line) -> Long.parseLong(line.split(" ")[1]) - lock.now())
			.allSatisfy((left) -> assertThat(left).isBetween(from, to));
	}

	void expiredPermitsAreFreeTogether(LockScriptHarness lock) {
		String dead = take(lock, A, 4);
		expire(lock, dead, 4);
		take(lock, B, 5);
		assertThat(lock.members("holders")).noneMatch((member) -> member.startsWith(contender(dead)));
		assertThat(lock.status(dead)).isEqualTo("gone");
		assertThat(lock.renew(dead, 10_000)).isEqualTo(EXPIRED);
		assertThat(lock.release(dead)).isEqualTo(EXPIRED);
	}

	/**
	 * Many that died at once are pruned in turn, and a sweep may come before. All but one
	 * of their members stayed for ever, and counted again when the clock went back.
	 */
	void expiredPermitsOfASweptHolderAreRemoved(LockScriptHarness lock) {
		String dead = take(lock, A, 4);
		take(lock, B, 1);
		expire(lock, dead, 4);
		lock.redis.hdel(lock.key, "by" + LockScriptHarness.bytes(contender(dead)));
		attempt(lock, request(C), 5);
		assertThat(lock.members("holders")).hasSize(1);
	}

	void permitsLastNoLongerThanTheirLeaseWhenTheClockWentBack(LockScriptHarness lock) {
		String large = take(lock, A, 3);
		expire(lock, large, 3, 3_600_000);
		attempt(lock, request(B), 5);
		assertLeft(lock, 5_000, 10_000);
	}

	void releasedPermitsWakeAsManyWaiters(LockScriptHarness lock) {
		String large = take(lock, A, 3);
		take(lock, A, 2);
		Stream.of(B, C, D, "eeeeeeeeeeeeeeee")
			.forEach((instance) -> acquire(lock, request(instance), 1, 10_000, 5_000));
		lock.fillMemory();
		assertThat(lock.release(large)).isEqualTo(1);
		lock.emptyMemory();
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k", D + " k");
		assertThat(lock.line()).containsExactly("eeeeeeeeeeeeeeee");
	}

	void abandonedPermitsWakeAsManyWaiters(LockScriptHarness lock) {
		String large = take(lock, A, 2);
		take(lock, A, 3);
		Stream.of(B, C, D).forEach((instance) -> acquire(lock, request(instance), 1, 10_000, 5_000));
		assertThat(lock.abandon(large)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k");
		assertThat(lock.members("holders")).hasSize(3);
	}

	void permitsThatAreTakenAwayWakeAsManyWaiters(LockScriptHarness lock) {
		String large = take(lock, A, 2);
		String other = take(lock, A, 3);
		Stream.of(B, C, D).forEach((instance) -> acquire(lock, request(instance), 1, 10_000, 5_000));
		assertThat(lock.force(large)).isEqualTo(1);
		assertThat(lock.wakeUps()).contains(B + " k", C + " k").doesNotContain(D + " k");
		assertThat(lock.force("")).isEqualTo(1);
		assertThat(lock.status(other)).isEqualTo("revoked");
		assertThat(lock.members("holders")).isEmpty();
		assertThat(lock.wakeUps()).contains(D + " k");
	}

	void manyPermitsOfOneRequestAreTakenAndReleased(LockScriptHarness lock) {
		String large = request(A);
		lock.take = 1_000;
		assertThat(lock.acquire("S", List.of(lock.key), large, 10_000, 0, 0, 0, 1_000, "").get(0)).isEqualTo(1L);
		lock.take = 1;
		assertThat(lock.members("holders")).hasSize(1_000);
		assertThat(lock.renew(large, 20_000)).isEqualTo(1);
		assertThat(lock.release(large)).isEqualTo(1);
		assertThat(lock.members("holders")).isEmpty();
	}

	void holdersAreInspectedWithTheirPermits(LockScriptHarness lock) {
		String large = take(lock, A, 3);
		String small = take(lock, B, 1);
		List<Object> seen = lock.inspect(9);
		assertThat(seen.subList(0, 5)).isEqualTo(List.of(5L, 0L, 1L, 4L, 0L));
		assertThat(seen).hasSize(13).contains(large, small);
		assertThat(seen.get(seen.indexOf(large) + 3)).isEqualTo(3L);
		assertThat(seen.get(seen.indexOf(small) + 3)).isEqualTo(1L);
	}

	void numberThatWasSetCountsBeforeThatOfRequests(LockScriptHarness lock) {
		assertThat(lock.setPermits(3)).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("permits 3", "shared 5");
		take(lock, A, 2);
		lock.come("S", request(B));
		assertThat(attempt(lock, request(C), 1).get(0)).as("the third is taken").isEqualTo(0L);
		assertThat(lock.get("permits")).isEqualTo("3");
		assertThat(lock.setPermits(4)).isEqualTo(1);
		take(lock, C, 1);
		assertThat(lock.setPermits(2)).isEqualTo(1);
		assertThat(lock.members("holders")).as("keep what they have").hasSize(4);
		assertThat(attempt(lock, request(D), 1).get(0)).isEqualTo(0L);
	}

	void numberThatWasSetStaysWithoutHolders(LockScriptHarness lock) {
		lock.setPermits(1);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(1_000_000L * 86_400_000);
		String only = take(lock, A, 1);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(1_000_000L * 86_400_000);
		lock.renew(only, 10_000);
		lock.release(only);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(1_000_000L * 86_400_000);
		take(lock, A, 1);
		assertThat(attempt(lock, request(B), 1).get(0)).isEqualTo(0L);
	}

	void numberThatIsRemovedCountsNoMore(LockScriptHarness lock) {
		lock.setPermits(1);
		String only = take(lock, A, 1);
		assertThat(lock.setPermits(0)).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("permits 1", "shared 1");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
		assertThat(attempt(lock, request(B), 1)).as("another number while it is held").isEqualTo(List.of(3L, 1L, 0L));
		lock.release(only);
		take(lock, B, 5);
		assertThat(lock.get("permits")).isEqualTo("5");
	}

	void numberThatWasNotSetIsRemovedWithoutATrace(LockScriptHarness lock) {
		assertThat(lock.setPermits(0)).isEqualTo(1);
		assertThat(lock.redis.exists(lock.key)).isZero();
		take(lock, A, 1);
		lock.redis.pexpire(lock.key, 500_000);
		assertThat(lock.setPermits(0)).isEqualTo(1);
		assertThat(lock.redis.pttl(lock.key)).isGreaterThan(400_000);
	}

	void requestForMorePermitsThanWereSetIsNamed(LockScriptHarness lock) {
		lock.setPermits(2);
		assertThat(attempt(lock, request(A), 3)).isEqualTo(List.of(3L, 2L, 0L, 1L));
		take(lock, A, 2);
	}

	void semaphoreWhoseNumberWasSetIsNoOtherLock(LockScriptHarness lock) {
		lock.setPermits(2);
		for (String mode : List.of("X", "F", "R")) {
			assertThat(lock.acquire(mode, request(A))).isEqualTo(List.of(3L, 2L, 0L));
		}
	}

	void numberOfALockInUseIsNotSet(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		assertThat(lock.setPermits(2)).isZero();
		assertThat(lock.get("permits")).isEqualTo("0");
		lock.release(owner);
		assertThat(lock.setPermits(2)).isEqualTo(1);
		take(lock, B, 2);
	}

	void numberIsSetOnceTheLeaseOfAnOwnerHasRunOut(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.expire();
		assertThat(lock.setPermits(2)).isEqualTo(1);
		assertThat(lock.get("permits")).isEqualTo("2");
		assertThat(lock.release(owner)).isEqualTo(EXPIRED);
		assertThat(lock.get("permits")).isEqualTo("2");
	}

	void largerNumberWakesWaitersForTheNewPermits(LockScriptHarness lock) {
		take(lock, A, 5);
		Stream.of(B, C, D).forEach((instance) -> acquire(lock, request(instance), 1, 10_000, 5_000));
		lock.setPermits(7);
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k");
		lock.setPermits(7);
		assertThat(lock.wakeUps()).isEmpty();
		lock.setPermits(10_000);
		assertThat(lock.wakeUps()).containsExactly(D + " k");
	}

	void foreignValueIsNoSemaphore(LockScriptHarness lock) {
		lock.redis.set(lock.key, "x");
		assertThat(IntStream.of(0, 2).mapToObj((permits) -> failure(lock, permits)))
			.allMatch((message) -> message.startsWith("LOCKFOREIGN"));
	}

	private static String failure(LockScriptHarness lock, int permits) {
		try {
			lock.setPermits(permits);
			return "";
		}
		catch (RuntimeException ex) {
			return ex.getMessage();
		}
	}

	private static String contender(String request) {
		return request.substring(0, 20);
	}

	private static String take(LockScriptHarness lock, String instance, int permits) {
		String request = request(instance);
		assertThat(attempt(lock, request, permits).get(0)).isEqualTo(1L);
		return request;
	}

	private static List<Object> attempt(LockScriptHarness lock, String request, int permits) {
		return acquire(lock, request, permits, 10_000, 0);
	}

	private static List<Object> acquire(LockScriptHarness lock, String request, int permits, long ttl, long waiting) {
		lock.take = permits;
		List<Object> answer = lock.acquire("S", List.of(lock.key), request, ttl, 0, 0, waiting, 5, "");
		lock.take = 1;
		return answer;
	}

	/** Let the lease of all permits run out. */
	private static void expire(LockScriptHarness lock, String request, int permits) {
		expire(lock, request, permits, -1);
	}

	private static void expire(LockScriptHarness lock, String request, int permits, long millisFromNow) {
		lock.shift(request, millisFromNow);
		for (int i = 2; i <= permits; i++) {
			lock.redis.zadd(LockOnTheWire.set("holders", lock.key), (double) (lock.now() + millisFromNow),
					LockScriptHarness.bytes(contender(request) + "%04x".formatted(i)));
		}
	}

}
