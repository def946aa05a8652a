package io.distributedlock.redis;

import java.util.List;

import io.distributedlock.redis.LockScriptHarness.Answer;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The checks of gather.lua beside those of lock.lua and unlock.lua, which run through it
 * as well.
 */
class GatherChecks {

	void eachRequestHasAnAnswerOfItsOwn(LockScriptHarness lock) {
		String held = lock.take("X", A);
		String waiting = lock.keys().get(2);
		lock.redis.hset(waiting, "state", lock.redis.hget(lock.key, "state"));
		String other = request(B);
		List<Answer> answers = lock.gather(lock.taking(lock.keys().get(1), other), lock.taking(waiting, request(B)),
				lock.releasing(lock.key, held), lock.releasing(lock.key, request(B)));
		assertThat(answers).noneMatch(Answer::failed);
		assertThat((Long) answers.get(0).values().get(0)).isGreaterThan(2);
		assertThat(answers.get(1).values()).hasSize(4).first().isEqualTo(0L);
		assertThat(answers.get(2).values()).isEqualTo(List.of(1L));
		assertThat(answers.get(3).values()).as("which release.lua knows").isEqualTo(List.of(-1L));
		assertThat(lock.redis.hget(waiting, "waiters")).isNotNull();
	}

	/** A thread may release the lock that another one wants next. */
	void requestsForOneLockComeInTheirOrder(LockScriptHarness lock) {
		String first = lock.take("X", A);
		String second = request(B);
		assertThat(lock.gather(lock.releasing(lock.key, first), lock.taking(lock.key, second)))
			.allSatisfy((answer) -> assertThat(answer.values()).hasSize(1));
		assertThat(lock.status(second)).isEqualTo("held");
		assertThat(lock.gather(lock.taking(lock.key, request(A)), lock.releasing(lock.key, second)).get(0).values())
			.first()
			.isEqualTo(0L);
	}

	void requestsMayBeRepeated(LockScriptHarness lock) {
		String released = lock.take("X", A);
		String taken = request(B);
		String other = lock.keys().get(1);
		List<Answer> once = lock.gather(lock.releasing(lock.key, released), lock.taking(other, taken));
		assertThat(lock.gather(lock.taking(other, taken)).get(0)).isEqualTo(once.get(1));
		lock.gather(lock.releasing(other, taken));
		assertThat(lock.gather(lock.taking(other, taken)).get(0).values()).as("refused").isEqualTo(List.of(-2L));
	}

	void foreignValueIsSentOn(LockScriptHarness lock) {
		String held = lock.take("X", A);
		String foreign = lock.keys().get(1);
		lock.redis.set(foreign, "foreign");
		List<Answer> answers = lock.gather(lock.taking(foreign, request(B)), lock.releasing(foreign, request(B)),
				lock.releasing(lock.key, held), lock.taking(lock.keys().get(2), request(B)));
		assertThat(answers).noneMatch(Answer::failed);
		assertThat(answers.subList(0, 2)).allMatch((answer) -> WireFormat.isSentOn(answer.values()));
		assertThat(answers.subList(2, 4)).noneMatch((answer) -> WireFormat.isSentOn(answer.values()));
		assertThat(lock.redis.get(foreign)).isEqualTo("foreign");
	}

	/** After the first write of a script Redis lets all others pass. */
	void acquisitionsWhenMemoryIsUsedUpFailAndReleasesDoNot(LockScriptHarness lock) {
		String held = lock.take("X", A);
		String busy = lock.keys().get(2);
		lock.redis.hset(busy, "state", lock.redis.hget(lock.key, "state"));
		lock.fillMemory();
		List<Answer> answers = lock.gather(lock.taking(busy, request(B)), lock.releasing(lock.key, held),
				lock.taking(lock.key, request(B)), lock.taking(lock.keys().get(1), request(B)));
		lock.emptyMemory();
		assertThat(answers.get(0).values()).as("as alone it leaves its waiter entry").hasSize(4);
		assertThat(lock.redis.hget(busy, "waiters")).isNotNull();
		assertThat(answers.get(1).values()).isEqualTo(List.of(1L));
		assertThat(answers.subList(2, 4)).allSatisfy((answer) -> {
			assertThat(answer.failed()).isTrue();
			assertThat((String) answer.values().get(0)).containsPattern(saying("OOM"));
		});
		assertThat(lock.redis.exists(lock.keys().get(1))).isZero();
		assertThat(lock.status(held)).isEqualTo("released");
	}

	void waiterIsWokenWhenMemoryIsUsedUp(LockScriptHarness lock) {
		String held = lock.take("X", A);
		lock.waitFor("X", B);
		lock.fillMemory();
		assertThat(lock.gather(lock.releasing(lock.key, held)).get(0).values()).isEqualTo(List.of(1L));
		lock.emptyMemory();
		assertThat(lock.wakeUps()).hasSize(1);
	}

	void replicaFailsEachRequest(LockScriptHarness lock) {
		String held = lock.take("X", A);
		lock.demote();
		assertThat(lock.gather(lock.releasing(lock.key, held), lock.taking(lock.keys().get(1), request(B))))
			.allSatisfy((answer) -> {
				assertThat(answer.failed()).isTrue();
				assertThat((String) answer.values().get(0)).containsPattern(saying("READONLY"));
			});
	}

	void nothingIsLeftBeside(LockScriptHarness lock) {
		String taken = request(A);
		lock.gather(lock.taking(lock.key, taken), lock.releasing(lock.key, taken));
		assertThat(lock.redis.scan().getKeys()).containsExactly(lock.key);
	}

	void otherKeysThanRequestsAreAnErrorAndNothingIsDone(LockScriptHarness lock) {
		String held = lock.take("X", A);
		for (int surplus : new int[] { -1, 1 }) {
			lock.surplus = surplus;
			assertThatThrownBy(
					() -> lock.gather(lock.releasing(lock.key, held), lock.taking(lock.keys().get(1), request(B))))
				.hasMessageStartingWith("LOCKKEYS");
		}
		assertThat(lock.status(held)).isEqualTo("held");
	}

	/** As servers since 7.0 say it, and before. */
	private static String saying(String code) {
		return "^(@user_script: \\d+: -)?" + code + " ";
	}

}
