package io.distributedlock.redis;

import java.util.List;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.EXPIRED;
import static io.distributedlock.redis.LockScriptHarness.HANDLE;
import static io.distributedlock.redis.LockScriptHarness.ONE;
import static io.distributedlock.redis.LockScriptHarness.OTHER;
import static io.distributedlock.redis.LockScriptHarness.RETENTION;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The requirements for renew.lua.
 */
class RenewChecks {

	void ownerIsExtended(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		assertThat(lock.renew(request, 20_000)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(15_000L, 20_000L);
		assertThat(lock.get("lease")).isEqualTo("20000");
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
	}

	void nothingIsShortened(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 30_000);
		assertThat(lock.renew(request, 100)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
		assertThat(lock.number("lease")).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 25_000, RETENTION + 30_000);
	}

	void handleExtendsALeaseAndLeavesTheMarkOfItsHolder(LockScriptHarness lock) {
		for (String mode : new String[] { "X", "R" }) {
			String request = lock.take(mode, A);
			lock.renew(request, 10_000, ONE);
			assertThat(lock.renew(request, 30_000, HANDLE)).as(mode).isEqualTo(1);
			assertThat(mode.equals("X") ? lock.left("deadline") : lock.rest(request)).isBetween(25_000L, 30_000L);
			assertThat(lock.renew(request, 10_000, OTHER)).as(mode).isZero();
			assertThat(lock.renew(request, 10_000, ONE)).as(mode).isEqualTo(1);
			lock.startOver();
		}
	}

	/** It was only told so once another command had come in between. */
	void expiredReaderHasExpiredWhicheverMarksItNames(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.renew(reader, 10_000, ONE);
		lock.shift(reader, -1);
		assertThat(lock.renew(reader, 10_000, OTHER)).isEqualTo(EXPIRED);
		assertThat(lock.renew(reader, 10_000, ONE)).isEqualTo(EXPIRED);
	}

	void expiredLeaseIsNotResurrected(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.expire();
		assertThat(lock.renew(request, 20_000)).isEqualTo(EXPIRED);
		assertThat(lock.left("deadline")).isNegative();
	}

	void anothersLeaseIsLeftAlone(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		assertThat(lock.renew(request(B), 20_000)).isZero();
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
	}

	void deadlineIsClampedWhenTheClockWentBack(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 20_000);
		lock.move("deadline", 3_600_000);
		lock.move("kept", 3_600_000);
		assertThat(lock.renew(request, 5_000)).isEqualTo(1);
		assertThat(lock.left("deadline")).isBetween(5_000L, 10_000L);
		assertThat(lock.redis.pttl(lock.key)).isBetween(RETENTION + 15_000, RETENTION + 20_000);
	}

	void manyAreAnsweredInOrderAlsoWithAForeignValueAmongThem(LockScriptHarness lock) {
		String request = request(A);
		String free = lock.key + "free";
		String foreign = lock.key + "foreign";
		lock.redis.set(foreign, "x");
		lock.take(request, 10_000, 0);
		List<Long> answer = lock.renew(List.of(free, lock.key, foreign, lock.key),
				List.of(request, request, request, request(B)), 20_000);
		assertThat(answer).containsExactly(0L, 1L, 0L, 0L);
		assertThat(lock.redis.exists(free)).isZero();
	}

	void otherErrorIsNotTakenForALoss(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.HMGET));
		// As servers before and since 7.2 say it.
		assertThatThrownBy(() -> lock.renew(request, 20_000)).hasMessageFindingMatch(
				"user executing the script can't run this command|has no permissions to run the 'hmget' command");
	}

	void renewalPassesWithoutMemory(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		lock.fillMemory();
		assertThat(lock.renew(request, 20_000)).isEqualTo(1);
		assertThat(lock.left("deadline")).isGreaterThan(15_000L);
	}

	void replicaDoesNotAnswerNotYours(LockScriptHarness lock) {
		lock.take(request(A), 10_000, 0);
		lock.demote();
		assertThatThrownBy(() -> lock.renew(request(B), 10_000)).hasMessageContaining("READONLY");
	}

	void replicaDoesNotAnswerExpired(LockScriptHarness lock) {
		String request = lock.take("X", A);
		lock.expire();
		lock.demote();
		assertThatThrownBy(() -> lock.renew(request, 10_000)).hasMessageContaining("READONLY");
	}

	void expiredLeaseOfATwinIsNotThatOfTheOther(LockScriptHarness lock) {
		String owner = lock.take("X", A);
		lock.renew(owner, 10_000, ONE);
		lock.expire();
		assertThat(lock.renew(owner, 10_000, OTHER)).isZero();
		assertThat(lock.release(owner, OTHER)).isZero();
		assertThat(lock.renew(owner, 10_000, ONE)).isEqualTo(EXPIRED);
	}

	void earlierRequestOfTheOwnersContenderIsLost(LockScriptHarness lock) {
		String earlier = request(A, 7);
		lock.abandon(earlier);
		assertThat(lock.renew(earlier, 10_000)).isEqualTo(EXPIRED);
		lock.take(request(A, 7), 10_000, 0);
		assertThat(lock.renew(earlier, 10_000)).isZero();
	}

	void readerThatHasExpiredLongAgoIsNotKnown(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.shift(reader, -RETENTION + 30_000);
		assertThat(lock.renew(reader, 10_000)).isEqualTo(EXPIRED);
		lock.shift(reader, -RETENTION - 1);
		assertThat(lock.renew(reader, 10_000)).isZero();
	}

	void twinIsRefusedAndChangesNothing(LockScriptHarness lock) {
		for (String mode : List.of("X", "F", "R", "S")) {
			String owner = lock.take(mode, A);
			assertThat(lock.renew(owner, 10_000, ONE)).as(mode).isEqualTo(1);
			assertThat(lock.renew(owner, 60_000, OTHER)).as(mode).isZero();
			assertThat(lock.redis.pttl(lock.key)).as(mode).isLessThanOrEqualTo(RETENTION + 10_000);
			assertThat(lock.renew(owner, 10_000, "33333333," + ONE)).as(mode).isEqualTo(1);
			assertThat(lock.renew(owner, 10_000, ONE)).as(mode).isZero();
			lock.startOver();
		}
	}

	void markOfAReaderStaysWhenItsTokenIsRaised(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.renew(reader, 10_000, ONE);
		lock.raise(reader, lock.number("token") + 1);
		assertThat(lock.renew(reader, 10_000, OTHER)).isZero();
		assertThat(lock.renew(reader, 10_000, ONE)).isEqualTo(1);
	}

	void otherKeysThanToldAreAnErrorAndNoneIsRenewed(LockScriptHarness lock) {
		String request = request(A);
		lock.take(request, 10_000, 0);
		List<String> two = List.of(lock.key, lock.key + "b");
		for (int surplus : new int[] { -1, 1 }) {
			lock.surplus = surplus;
			assertThatThrownBy(() -> lock.renew(two, List.of(request, request), 20_000))
				.hasMessageStartingWith("LOCKKEYS");
		}
		assertThat(lock.left("deadline")).isLessThanOrEqualTo(10_000);
	}

	/** The loss was noted as an end by the clock. */
	void readerThatHadItAloneBeforeHasLostTheLockWithItsSet(LockScriptHarness lock) {
		String before = request(A, 7);
		lock.come("X", before);
		lock.release(before);
		String reader = request(A, 7);
		lock.come("R", reader);
		lock.redis.del(LockOnTheWire.set("holders", lock.key));
		lock.take("X", B);
		assertThat(lock.renew(reader, 20_000)).isZero();
		assertThat(lock.release(reader)).isZero();
	}

}
