package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks to which waiter lock.lua and acquire.lua say that the next release gives it the
 * lock, and how release.lua acts where others come first.
 */
class NextChecks {

	private static final long CLAIM = 800;

	void firstWaiterWithAClaimIsNext(LockScriptHarness lock) {
		lock.take("X", A);
		String first = request(B);
		String second = request(C);
		assertThat(isNext(lock, first, CLAIM)).isTrue();
		assertThat(isNext(lock, second, CLAIM)).isFalse();
		assertThat(isNext(lock, first, CLAIM)).isTrue();
		lock.abandon(first);
		assertThat(isNext(lock, second, CLAIM)).isTrue();
	}

	void waiterWithoutAClaimIsNotNext(LockScriptHarness lock) {
		lock.take("X", A);
		String waiter = request(B);
		assertThat(isNext(lock, waiter, 0)).isFalse();
		assertThat(isNext(lock, waiter, CLAIM)).isTrue();
		assertThat(isNext(lock, waiter, 0)).isFalse();
	}

	void requestThatLeavesNoEntryIsNotNext(LockScriptHarness lock) {
		lock.take("X", A);
		lock.claim = CLAIM;
		String request = request(B);
		assertThat(lock.acquire(request)).hasSize(4);
		assertThat(lock.waitFor(request)).hasSize(5);
		assertThat(lock.acquire(request)).hasSize(4);
	}

	void waiterForALockThatIsKeptIsNotNext(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 5_000);
		assertThat(isNext(lock, request(B), CLAIM)).isFalse();
	}

	void waiterForALockThatIsSharedIsNotNext(LockScriptHarness lock) {
		lock.take("R", A);
		assertThat(isNext(lock, request(B), CLAIM)).isFalse();
	}

	void waiterForALockThatReadersWaitForIsNotNext(LockScriptHarness lock) {
		lock.take("X", A);
		String waiter = request(B);
		assertThat(isNext(lock, waiter, CLAIM)).isTrue();
		lock.claim = 0;
		lock.waitFor("R", C);
		assertThat(isNext(lock, waiter, CLAIM)).isFalse();
	}

	void waiterThatReadersComeBeforeIsWoken(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.claim = CLAIM;
		lock.waitFor(request(B));
		lock.claim = 0;
		lock.waitFor("R", C);
		long before = lock.now();
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k", C + " k");
		assertThat(entryEnd(lock.lines("waiter"))).isBetween(before + 900, lock.now() + 1000);
	}

	void waiterThatAFairOneComesBeforeIsWoken(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.claim = CLAIM;
		lock.waitFor(request(B));
		lock.claim = 0;
		String fair = lock.waitFor("F", C);
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + fair, B + " k");
	}

	/** It attempts often, so it need not be woken. */
	void waiterWithoutAClaimThatReadersComeBeforeIsNotWoken(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.waitFor(request(B));
		lock.waitFor("R", C);
		long entry = entryEnd(lock.lines("waiter"));
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
		assertThat(entryEnd(lock.lines("waiter"))).isEqualTo(entry);
	}

	void waiterThatOneOfManyReadersKeepsWaitingIsNotWoken(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.take("R", A);
		lock.claim = CLAIM;
		lock.waitFor(request(B));
		lock.release(reader);
		assertThat(lock.wakeUps()).isEmpty();
	}

	private static long entryEnd(List<String> waiters) {
		return Long.parseLong(waiters.get(0).split(" ")[1]);
	}

	private static boolean isNext(LockScriptHarness lock, String request, long claim) {
		lock.claim = claim;
		List<Object> answer = lock.waitFor(request);
		assertThat(answer.get(0)).isEqualTo(0L);
		return answer.size() > 4;
	}

}
