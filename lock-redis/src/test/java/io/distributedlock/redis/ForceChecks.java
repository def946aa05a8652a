package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/** Checks of the script by which an operator takes a lock away. */
class ForceChecks {

	void ownerIsRevokedAndIsTold(LockScriptHarness lock) {
		String owner = request(A);
		long token = lock.take(owner, 10_000, 0);
		assertThat(lock.force("")).isEqualTo(1);
		assertThat(lock.get("status")).isEqualTo("revoked");
		assertThat(lock.number("lease")).isZero();
		assertThat(lock.number("deadline")).isBetween(lock.now() - 1_000, lock.now());
		assertThat(lock.wakeUps()).containsExactly(revoked(owner));
		assertThat(lock.renew(owner, 10_000)).isZero();
		assertThat(lock.acquire(owner)).isEqualTo(List.of(2L));
		assertThat(lock.release(owner)).isZero();
		assertThat(lock.take(request(B), 10_000, 0)).isGreaterThan(token);
		assertThat(lock.acquire(owner)).as("after the next one").isEqualTo(List.of(2L));
	}

	private static String revoked(String request) {
		return request.substring(0, 16) + " k\n" + request + "\n0";
	}

	void freeLockStaysFree(LockScriptHarness lock) {
		assertThat(lock.force("")).isZero();
		String owner = request(A);
		lock.take(owner, 10_000, 0);
		lock.expire();
		assertThat(lock.force("")).isZero();
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.release(owner)).as("late, but the last one").isEqualTo(1);
	}

	void onlyTheRequestThatIsMeantLosesTheLock(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		assertThat(lock.force(request(B))).isZero();
		assertThat(lock.force(LockScriptHarness.twin(owner))).isZero();
		assertThat(lock.renew(owner, 10_000)).isEqualTo(1);
		assertThat(lock.force(owner)).isEqualTo(1);
		assertThat(lock.renew(owner, 10_000)).isZero();
	}

	void requestThatIsToBeRefusedIsRefusedWhenItComesLater(LockScriptHarness lock) {
		for (String mode : List.of("X", "R")) {
			String late = request(A, 7);
			lock.fillMemory();
			assertThat(lock.force(late, "refuse")).as(mode).isZero();
			lock.emptyMemory();
			assertThat(lock.number("sweepAt")).as("it is forgotten in time").isPositive();
			assertThat(lock.acquire(mode, late)).as(mode).isEqualTo(List.of(2L));
			lock.way = "retake";
			assertThat(lock.acquire(mode, late)).as("taken again").isEqualTo(List.of(2L));
			lock.way = "turn";
			assertThat(lock.force(late, "refuse")).as("once more").isZero();
			assertThat(lock.release(late)).as(mode).isZero();
			lock.startOver();
		}
	}

	void requestThatIsOnlyNamedComesLaterAsOthersDo(LockScriptHarness lock) {
		String late = request(A, 7);
		assertThat(lock.force(late)).isZero();
		lock.take(late, 10_000, 0);
	}

	void requestThatIsToBeRefusedLeavesAnEarlierReaderAlone(LockScriptHarness lock) {
		String reader = request(A, 7);
		lock.come("R", reader);
		lock.force(request(A, 7), "refuse");
		assertThat(lock.renew(reader, 10_000)).isEqualTo(1);
		String released = request(B, 7);
		lock.come("R", released);
		lock.release(released);
		lock.force(released, "refuse");
		assertThat(lock.release(released)).as("repeated").isEqualTo(1);
	}

	void keptLockIsFree(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 20_000);
		assertThat(lock.force("")).isEqualTo(1);
		lock.take(owner = request(B), 10_000, 20_000);
		lock.release(owner);
		assertThat(lock.force(owner)).as("it holds the lock no more").isZero();
		assertThat(lock.force("")).isEqualTo(1);
		assertThat(lock.number("keptFor")).isZero();
		assertThat(lock.force("")).isZero();
		lock.take(request(C), 10_000, 0);
	}

	void lockOfOneThatHasYetToKeepItIsFree(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.claim = 800;
		String waiter = request(B);
		lock.acquire(waiter, 10_000, 30_000, 0, 5_000);
		lock.release(owner);
		assertThat(lock.wire.show(lock.key)).contains("keptFor 1");
		assertThat(lock.force("")).isEqualTo(1);
		assertThat(lock.wire.show(lock.key)).contains("status revoked", "kept 0", "keptFor 0");
	}

	void lockIsGivenToTheFirstWaiterWithAClaim(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		long token = lock.number("token");
		lock.claim = 800;
		String next = request(B);
		lock.waitFor(next);
		lock.force("");
		assertThat(lock.get("owner")).isEqualTo(next);
		assertThat(lock.get("status")).isEqualTo("held");
		assertThat(lock.number("token")).isGreaterThan(token);
		assertThat(lock.status(owner)).isEqualTo("revoked");
		assertThat(lock.wakeUps()).containsExactly(revoked(owner), B + " k\n" + next + '\n' + lock.number("token"));
	}

	void readersThatHaveWaitedComeFirst(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor(request(C));
		String reader = lock.waitFor("R", B);
		lock.force("");
		assertThat(lock.members("admitted")).containsExactly(reader);
		assertThat(lock.wakeUps()).containsExactly(revoked(owner), B + " k");
	}

	void allReadersAreRevokedAndAreTold(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", B);
		lock.waitFor(request(C));
		assertThat(lock.force("")).isEqualTo(2);
		assertThat(lock.members("holders")).isEmpty();
		assertThat(lock.status(one)).isEqualTo("revoked");
		assertThat(lock.status(other)).isEqualTo("revoked");
		assertThat(lock.wakeUps()).containsExactlyInAnyOrder(revoked(one), revoked(other), C + " k");
		assertThat(lock.acquire("R", one)).isEqualTo(List.of(2L));
		assertThat(lock.renew(one, 10_000)).isZero();
		assertThat(lock.release(one)).isZero();
	}

	/** The end of the last one to have it alone was noted again, as one by the clock. */
	void readersThatHadItAloneBeforeStayRevokedWhenItIsGivenOn(LockScriptHarness lock) {
		String before = request(A, 7);
		lock.come("X", before);
		lock.release(before);
		String reader = request(A, 7);
		lock.come("R", reader);
		lock.come("R", request(B, 7));
		lock.claim = 800;
		lock.waitFor(request(C));
		assertThat(lock.force("")).isEqualTo(2);
		assertThat(lock.renew(reader, 10_000)).isZero();
	}

	void oneReaderIsRevokedAndTheOtherReadsOn(LockScriptHarness lock) {
		String one = lock.take("R", A);
		String other = lock.take("R", B);
		lock.waitFor(request(C));
		assertThat(lock.force(one)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(revoked(one));
		assertThat(lock.renew(other, 10_000)).isEqualTo(1);
		assertThat(lock.force(one)).as("once more").isZero();
	}

	void eachPermitThatIsFreeWakesAWaiter(LockScriptHarness lock) {
		lock.take("S", A);
		lock.take("S", A);
		lock.waitFor("S", B);
		lock.waitFor("S", C);
		assertThat(lock.force("")).isEqualTo(2);
		assertThat(lock.wakeUps()).contains(B + " k", C + " k");
	}

	void ownerThatReadsBesideItselfLosesBoth(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		String reader = request(A);
		lock.acquire("R", List.of(lock.key), reader, 10_000, 0, 0, 0, 0, owner);
		assertThat(lock.force(reader)).isEqualTo(1);
		assertThat(lock.renew(owner, 10_000)).isEqualTo(1);
		lock.acquire("R", List.of(lock.key), request(A), 10_000, 0, 0, 0, 0, owner);
		assertThat(lock.force("")).isEqualTo(2);
	}

	void takingAwayPassesWithoutMemory(LockScriptHarness lock) {
		lock.take("X", A);
		lock.waitFor(request(B));
		lock.fillMemory();
		assertThat(lock.force("")).isEqualTo(1);
	}

}
