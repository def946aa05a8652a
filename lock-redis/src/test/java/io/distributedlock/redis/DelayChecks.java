package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requirements for the scripts with a lock that stays closed for twenty seconds after
 * a lease of ten that ran out.
 */
class DelayChecks {

	private static final long DELAY = 20_000;

	void lockIsClosedForOthersUntilTheDelayIsOver(LockScriptHarness lock) {
		for (String mode : List.of("X", "F")) {
			String owner = take(lock, mode);
			assertThat(lock.wire.show(lock.key)).contains("delay 20000", "lease 10000");
			assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
			lock.expire();
			for (String other : List.of("X", "F", "R")) {
				List<Object> answer = lock.acquire(other, request(B));
				assertThat(answer.get(0)).as(mode + " then " + other).isEqualTo(0L);
				assertThat((Long) answer.get(1)).isBetween(15_000L, DELAY);
				assertThat(answer.subList(2, 4)).as("without a holder").isEqualTo(List.of("", 0L));
			}
			lock.move("deadline", -DELAY - 1);
			lock.take(request(B), 10_000, 0);
			assertThat(lock.status(owner)).isEqualTo("gone");
			assertThat(lock.wire.show(lock.key)).contains("delay 0");
			assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 5_000, RETENTION + 10_000);
			lock.startOver();
		}
	}

	/** With a longer state it would be a hash table, which takes more memory. */
	void lockIsACompactHash(LockScriptHarness lock) {
		for (String mode : List.of("X", "F")) {
			take(lock, mode);
			assertThat(lock.redis.objectEncoding(lock.key)).isIn("listpack", "ziplist");
			lock.startOver();
		}
	}

	void holderSeesTheDelayWhileItsLeaseLasts(LockScriptHarness lock) {
		take(lock, "X");
		List<Object> answer = lock.acquire(request(B));
		assertThat((Long) answer.get(1)).isBetween(25_000L, 30_000L);
		assertThat(answer.subList(2, 4)).isEqualTo(List.of(A, 0L));
	}

	void keptLockWithADelayIsClosedForTheLongerOfBoth(LockScriptHarness lock) {
		lock.delay = DELAY;
		lock.acquire(request(A), 10_000, 60_000, 0, 0);
		lock.delay = 0;
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 55_000, RETENTION + 60_000);
		lock.expire();
		assertThat((Long) lock.acquire(request(B)).get(1)).isBetween(55_000L, 60_000L);
	}

	void releasedLockHasNoDelay(LockScriptHarness lock) {
		String owner = take(lock, "X");
		lock.waitFor(request(B));
		assertThat(lock.release(owner)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		lock.take(request(C), 10_000, 0);
	}

	void releasedLockIsNoSemaphore(LockScriptHarness lock) {
		assertThat(lock.release(take(lock, "X"))).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("permits 0", "delay 0");
	}

	/** Writes that the holder sent before it lost its lease may still be on their way. */
	void lateReleaseLeavesTheLockClosedUntilTheDelayIsOver(LockScriptHarness lock) {
		String owner = take(lock, "X");
		lock.waitFor(request(B));
		lock.expire();
		assertThat(lock.release(owner)).as("no other request can have had it").isEqualTo(1);
		assertThat(lock.release(owner)).as("again").isEqualTo(1);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(0L);
		lock.move("deadline", -DELAY - 1);
		assertThat(lock.release(owner)).isEqualTo(1);
		assertThat(lock.status(owner)).isEqualTo("released");
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void delayOfALockThatWasReleasedIsForgotten(LockScriptHarness lock) {
		lock.release(take(lock, "X"));
		lock.take("R", C);
		assertThat(lock.wire.show(lock.key)).contains("delay 0", "status released");
	}

	void renewedLeaseKeepsItsDelay(LockScriptHarness lock) {
		String owner = take(lock, "X");
		assertThat(lock.renew(owner, 40_000)).isEqualTo(1);
		assertThat(lock.get("delay")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 55_000, RETENTION + 60_000);
		lock.expire();
		assertThat(lock.renew(owner, 10_000)).as("it is not resurrected").isEqualTo(EXPIRED);
		assertThat(lock.acquire(owner)).isEqualTo(List.of(2L));
		assertThat(lock.acquire(request(B)).get(0)).isEqualTo(0L);
	}

	void extendedLeaseKeepsItsDelay(LockScriptHarness lock) {
		String owner = take(lock, "X");
		assertThat(lock.extend(owner, 40_000, ONE)).isEqualTo(1);
		assertThat(lock.get("delay")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 55_000, RETENTION + 60_000);
	}

	void repeatedRequestKeepsItsDelay(LockScriptHarness lock) {
		String owner = take(lock, "X");
		lock.acquire(owner, 40_000, 0, 0, 0);
		assertThat(lock.get("delay")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 55_000, RETENTION + 60_000);
	}

	/** Nothing has run under it. */
	void abandonedRequestHasNoDelay(LockScriptHarness lock) {
		for (boolean late : new boolean[] { false, true }) {
			String owner = take(lock, "X");
			lock.waitFor(request(B));
			if (late) {
				lock.expire();
			}
			assertThat(lock.abandon(owner)).isEqualTo(1);
			assertThat(lock.wakeUps()).containsExactly(B + " k");
			lock.take(request(C), 10_000, 0);
			lock.startOver();
		}
	}

	void lockThatIsTakenAwayHasNoDelay(LockScriptHarness lock) {
		for (boolean late : new boolean[] { false, true }) {
			take(lock, "X");
			lock.waitFor(request(B));
			if (late) {
				lock.expire();
			}
			assertThat(lock.force("")).isEqualTo(1);
			assertThat(lock.wakeUps()).contains(B + " k");
			assertThat(lock.force("")).isZero();
			lock.take(request(C), 10_000, 0);
			lock.startOver();
		}
	}

	void readerBesideAnOwnerIsLetInOnlyWhileThatHasItsLease(LockScriptHarness lock) {
		String owner = take(lock, "X");
		String reader = request(A);
		assertThat(beside(lock, reader, owner)).isEqualTo(1L);
		lock.waitFor(request(B));
		lock.expire();
		assertThat(beside(lock, request(A), owner)).isEqualTo(0L);
		lock.release(reader);
		assertThat(lock.wakeUps()).as("the lock is closed").isEmpty();
	}

	private static Object beside(LockScriptHarness lock, String reader, String owner) {
		return lock.acquire("R", List.of(lock.key), reader, 10_000, 0, 0, 0, 0, owner).get(0);
	}

	void readersThatWaitAreAdmittedAfterTheDelay(LockScriptHarness lock) {
		take(lock, "X");
		String reader = lock.waitFor("R", B);
		lock.expire();
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(0L);
		assertThat(lock.wakeUps()).isEmpty();
		lock.move("deadline", -DELAY - 1);
		assertThat(lock.acquire(request(C)).get(0)).isEqualTo(0L);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		lock.come("R", reader);
	}

	void expiryIsNoticedAfterTheDelay(LockScriptHarness lock) {
		take(lock, "X");
		lock.waitFor("F", C);
		lock.move("deadline", -DELAY - 1);
		lock.acquire("X", request(B));
		assertThat(lock.wire.show(lock.key)).contains("deadline 0", "lease 0", "delay 0");
	}

	void delayOfAClaimBeginsWithTheNextAttempt(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String heir = request(B, 0);
		lock.claim = 1_000;
		lock.delay = DELAY;
		lock.waitFor(heir);
		lock.claim = 0;
		lock.release(owner);
		assertThat(lock.wire.show(lock.key)).contains("owner " + heir, "status held", "delay 0", "keptFor 1");
		assertThat(lock.acquire(heir).get(0)).isEqualTo(1L);
		assertThat(lock.wire.show(lock.key)).contains("delay 20000", "keptFor 0");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void waiterIsNotTheNextWhileTheLockIsClosed(LockScriptHarness lock) {
		take(lock, "X");
		String waiter = request(B, 0);
		lock.claim = 1_000;
		assertThat(lock.waitFor(waiter)).hasSize(5);
		lock.expire();
		assertThat(lock.waitFor(waiter)).hasSize(4);
	}

	void delayDoesNotOutliveALeaseAndADelayWhenTheClockWentBack(LockScriptHarness lock) {
		take(lock, "X");
		lock.move("deadline", 3_600_000);
		assertThat((Long) lock.acquire(request(B)).get(1)).isBetween(25_000L, 30_000L);
	}

	void persistedLockLivesAsLongAsItIsClosed(LockScriptHarness lock) {
		take(lock, "X");
		lock.redis.persist(lock.key);
		lock.waitFor("F", B);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void closedLockIsShownAsKept(LockScriptHarness lock) {
		take(lock, "X");
		assertThat(lock.inspect(9).get(1)).as("while it has a holder").isEqualTo(0L);
		lock.expire();
		assertThat((Long) lock.inspect(9).get(1)).isBetween(15_000L, DELAY);
		assertThat(lock.inspect(9).get(3)).isEqualTo(0L);
		lock.move("deadline", -DELAY - 1);
		assertThat(lock.inspect(9).get(1)).isEqualTo(0L);
	}

	/** Take it with a delay; requests after it have none. */
	private static String take(LockScriptHarness lock, String mode) {
		lock.delay = DELAY;
		String owner = lock.take(mode, A);
		lock.delay = 0;
		return owner;
	}

}
