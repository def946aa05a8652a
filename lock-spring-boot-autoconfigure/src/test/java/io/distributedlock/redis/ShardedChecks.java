package io.distributedlock.redis;

import java.util.List;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.request;
import static io.distributedlock.redis.LockScriptHarness.sharded;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the scripts must do with those who want to be woken on a sharded channel.
 */
class ShardedChecks {

	void everybodyIsWokenInTheirOwnWay(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		waitSharded(lock, "X", B);
		lock.waitFor("X", C);
		assertThat(lock.lines("waiter")).satisfiesExactly(
				(first) -> assertThat(first).startsWith(B).contains("sharded"),
				(second) -> assertThat(second).startsWith(C).contains("plain"));
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(sharded(B) + " k");
		lock.release(lock.take("X", A));
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void wordSaysHowItsInstanceListenedLast(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		waitSharded(lock, "X", B);
		waitSharded(lock, "X", C);
		lock.waitFor("X", B);
		assertThat(lock.lines("waiter")).satisfiesExactly((first) -> assertThat(first).startsWith(B).contains("plain"),
				(second) -> assertThat(second).startsWith(C).contains("sharded"));
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
	}

	void abandonWakesTheWaiterInItsWay(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		waitSharded(lock, "X", B);
		lock.abandon(owner);
		assertThat(lock.wakeUps()).containsExactly(sharded(B) + " k");
	}

	void fairWaiterIsWokenInItsWayAndKeepsItsPlace(LockScriptHarness lock) {
		String owner = lock.take("F", A);
		String first = waitSharded(lock, "F", B);
		String second = lock.waitFor("F", C);
		assertThat(lock.place(first)).isEqualTo("1 sharded");
		assertThat(lock.place(second)).isEqualTo("2 plain");
		lock.sharded = true;
		lock.waitAgain("F", first);
		assertThat(lock.place(first)).isEqualTo("1 sharded");
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(sharded(B) + " k\n" + first);
		lock.come("F", first);
		lock.release(first);
		assertThat(lock.wakeUps()).containsExactly(C + " k\n" + second);
	}

	void readersAreWokenInTheirWay(LockScriptHarness lock) {
		String writer = lock.take("X", A);
		List<String> readers = List.of(lock.waitFor("R", B), waitSharded(lock, "R", B), lock.waitFor("R", C));
		assertThat(lock.lines("wake")).as("how each listened last").containsExactly(B + " sharded", C + " plain");
		lock.release(writer);
		assertThat(lock.wakeUps()).containsExactly(sharded(B) + " k", C + " k");
		readers.forEach((reader) -> lock.come("R", reader));
	}

	/** The deadline of a word must be read without what stands behind it. */
	void readerDoesNotOvertakeAWriterThatListensThere(LockScriptHarness lock) {
		lock.take("R", A);
		waitSharded(lock, "X", B);
		assertThat((Long) lock.acquire("R", request(C)).get(1)).isBetween(1L, 5_000L);
	}

	/** The release was written, and failed. */
	void ownerThatKnowsNoClusterReleasesAllTheSame(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		waitSharded(lock, "X", B);
		assertThat(lock.releaseWithoutCluster(owner)).isEqualTo(1);
		assertThat(lock.line()).containsExactly(B);
	}

	private static String waitSharded(LockScriptHarness lock, String mode, String instance) {
		lock.sharded = true;
		String waiter = lock.waitFor(mode, instance);
		lock.sharded = false;
		return waiter;
	}

}
