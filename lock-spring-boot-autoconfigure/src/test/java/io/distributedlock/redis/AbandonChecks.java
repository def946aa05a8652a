package io.distributedlock.redis;

import java.util.List;
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
 * What abandon.lua must do.
 */
class AbandonChecks {

	void requestThatHasNotArrivedIsRefused(LockScriptHarness lock) {
		String request = request(A);
		assertThat(lock.abandon(request)).isZero();
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
	}

	void ownerFreesAndIsRefused(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		assertThat(lock.abandon(request)).isEqualTo(1);
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m", "t", "a");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION - 5_000, RETENTION);
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void anothersLockAndItsLifeAreLeftAlone(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 30_000);
		assertThat(lock.abandon(request(B))).isZero();
		assertThat(lock.redis.hgetall(lock.key)).containsKeys("x", "l", "k", "f").containsEntry("o", owner);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void lastSixtyFourAreKeptOnceEach(LockScriptHarness lock) {
		List<String> requests = Stream.generate(() -> request(A)).limit(65).toList();
		requests.forEach(lock::abandon);
		requests.subList(1, 65).forEach(lock::abandon);
		assertThat(lock.field("a")).hasSize(64 * 33).startsWith(',' + requests.get(64)).endsWith(requests.get(1));
	}

	void ownerThatIsAbandonedWakesTheNext(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		lock.waitFor(request(B));
		lock.waitFor(request(C));
		lock.abandon(request);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.field("w")).matches(C + "\\d{13}" + B + "\\d{13}w");
	}

	void waiterThatIsAbandonedLeavesTheLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		String gone = request(B);
		lock.waitFor(gone);
		lock.waitFor(request(C));
		lock.abandon(gone);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.field("w")).startsWith(C).hasSize(29);
	}

	void lastWaiterThatIsAbandonedLeavesNoLine(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		String gone = request(B);
		lock.waitFor(gone);
		lock.abandon(gone);
		assertThat(lock.field("w")).isNull();
	}

	void wokenWaiterThatIsAbandonedPassesTheWordOn(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 0);
		String woken = request(B);
		lock.waitFor(woken);
		lock.waitFor(request(C));
		lock.release(owner);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		lock.abandon(woken);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void withdrawnOwnerWaitsBehindTheOthersAndLetsNoReaderIn(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.waitFor(request(B));
		String reader = lock.waitFor("R", C);
		assertThat(lock.withdraw(request)).isEqualTo(1);
		assertThat(lock.wakeUps()).containsExactly(B + " k");
		assertThat(lock.field("w")).matches(A + "\\d{13}" + B + "\\d{13}w");
		assertThat(Long.parseLong(lock.field("w").substring(16, 29))).isBetween(lock.now(), lock.now() + 5_000);
		assertThat(lock.redis.hgetall(lock.key)).containsKey("v" + reader).doesNotContainKeys("g" + reader, "o");
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void wordOfAWithdrawnOwnerIsNotForgottenBefore(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 1_000, 0);
		lock.withdraw(request);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 2_000, RETENTION + 5_000);
	}

	void withdrawnOwnerIsNotWokenItself(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		String reader = lock.waitFor("R", C);
		lock.withdraw(request);
		assertThat(lock.wakeUps()).isEmpty();
		assertThat(lock.field("w")).startsWith(A).hasSize(29);
		assertThat(lock.redis.hgetall(lock.key)).containsKey("v" + reader);
	}

	void keptLockWakesNobody(LockScriptHarness lock) {
		String owner = request(A);
		lock.take(owner, 10_000, 30_000);
		lock.waitFor(request(C));
		lock.expire();
		lock.abandon(request(B));
		assertThat(lock.wakeUps()).isEmpty();
		lock.move("k", -1);
		lock.abandon(request(B));
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void deadWaitersAreSkipped(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.redis.hset(lock.key, "w", B + "%013d".formatted(lock.now() - 1));
		lock.redis.hset(lock.key, "w", lock.field("w") + C + "%013d".formatted(lock.now() + 5_000));
		lock.abandon(request);
		assertThat(lock.wakeUps()).containsExactly(C + " k");
	}

	void anotherKindOfLockIsLeftAlone(LockScriptHarness lock) {
		lock.redis.hset(lock.key, "m", "Z");
		assertThat(lock.abandon(request(A))).isZero();
		assertThat(lock.redis.hgetall(lock.key)).containsOnlyKeys("m");
	}

	void abandonPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.abandon(request)).isEqualTo(1);
		lock.key += "unknown";
		assertThat(lock.abandon(request)).isZero();
		assertThat(lock.acquire(request)).isEqualTo(List.of(2L));
	}

	void replicaDoesNotAnswer(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.abandon(request(B))).hasMessageContaining("READONLY");
	}

	void markGoesWithTheOwner(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.renew(owner, 10_000, ONE);
		lock.abandon(owner);
		assertThat(lock.renew(lock.take("X", B), 10_000, OTHER)).isEqualTo(1);
	}

}
