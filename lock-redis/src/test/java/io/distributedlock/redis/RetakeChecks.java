package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks how the acquisition treats requests that have the lock on other nodes of a
 * quorum.
 */
class RetakeChecks {

	void retakingOvertakesThoseInLineAndNotThoseWhoHoldIt(LockScriptHarness lock) {
		for (String mode : List.of("X", "F", "R")) {
			String owner = lock.take("X", A);
			lock.waitFor("F", B);
			lock.way = "retake";
			String retaking = request(C);
			assertThat(lock.acquire(mode, retaking).get(0)).as(mode).isEqualTo(0L);
			lock.way = "turn";
			lock.release(owner);
			assertThat(lock.acquire(mode, retaking).get(0)).as(mode).isEqualTo(0L);
			lock.way = "retake";
			assertThat(lock.acquire(mode, retaking).get(0)).as(mode).isEqualTo(1L);
			lock.startOver();
		}
	}

	void retakingForOneOnlyDoesNotOvertakeReadersWhoHoldIt(LockScriptHarness lock) {
		lock.take("R", A);
		lock.way = "retake";
		assertThat(lock.acquire("X", request(B)).get(0)).isEqualTo(0L);
	}

	void retakingOvertakesReadersWhoMayComeIn(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor("R", B);
		lock.release(owner);
		assertThat(lock.acquire("X", request(C)).get(0)).isEqualTo(0L);
		lock.way = "retake";
		assertThat(lock.acquire("X", request(C)).get(0)).isEqualTo(1L);
	}

	void requestThatHasEndedIsRefusedUnlessItIsToHaveItAgain(LockScriptHarness lock) {
		String released = lock.take("X", A);
		lock.release(released);
		String abandoned = request(A);
		lock.abandon(abandoned);
		String reader = lock.take("R", A);
		lock.release(reader);
		lock.way = "turn";
		assertThat(lock.acquire("X", released)).isEqualTo(List.of(2L));
		assertThat(lock.acquire("X", abandoned)).isEqualTo(List.of(2L));
		assertThat(lock.acquire("R", reader)).isEqualTo(List.of(2L));
		lock.way = "retake";
		assertThat(lock.acquire("R", reader).get(0)).isEqualTo(1L);
		lock.release(reader);
		assertThat(lock.acquire("X", abandoned).get(0)).isEqualTo(1L);
	}

	void ownerWhoseLeaseRanOutHasItAgain(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		long token = lock.number("token");
		lock.expire();
		lock.way = "turn";
		assertThat(lock.acquire("X", owner)).isEqualTo(List.of(2L));
		lock.way = "retake";
		lock.come("X", owner);
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
		assertThat(lock.number("token")).isGreaterThan(token);
		assertThat(lock.renew(owner, 20_000)).isEqualTo(1);
		assertThat(lock.release(owner)).isEqualTo(1);
	}

	void readerWhoseLeaseRanOutHasItAgain(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.shift(reader, -1);
		lock.way = "turn";
		assertThat(lock.acquire("R", reader)).isEqualTo(List.of(2L));
		lock.way = "retake";
		lock.come("R", reader);
		assertThat(lock.renew(reader, 20_000)).isEqualTo(1);
		assertThat(lock.release(reader)).isEqualTo(1);
	}

	void retakingAKeyThatAnotherHoldsIsBusy(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.expire();
		lock.take("X", B);
		lock.way = "retake";
		assertThat(lock.acquire("X", owner).get(0)).isEqualTo(0L);
	}

	void retakingAHeldKeyExtendsItsLease(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		long token = lock.number("token");
		lock.way = "retake";
		assertThat(lock.acquire("X", owner)).isEqualTo(List.of(1L, token));
		lock.release(owner);
		String reader = request(B);
		lock.way = "turn";
		long shared = lock.come("R", reader);
		lock.way = "retake";
		assertThat(lock.acquire("R", reader)).isEqualTo(List.of(1L, shared));
	}

	/** Unlike a repeated attempt to take it. */
	void ownerThatHasItAgainRenewsWithWhateverMarks(LockScriptHarness lock) {
		for (String mode : List.of("X", "R")) {
			String owner = lock.take(mode, A);
			lock.renew(owner, 10_000, ONE);
			lock.come(mode, owner);
			assertThat(lock.renew(owner, 10_000, OTHER)).as(mode).isZero();
			lock.way = "retake";
			lock.come(mode, owner);
			lock.way = "turn";
			assertThat(lock.renew(owner, 10_000, OTHER)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

}
