package io.distributedlock.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import static io.distributedlock.redis.LockScriptHarness.A;
import static io.distributedlock.redis.LockScriptHarness.B;
import static io.distributedlock.redis.LockScriptHarness.C;
import static io.distributedlock.redis.LockScriptHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A foreign value under the name of a lock, or of one of its sorted sets: each script
 * says so, and changes nothing of it.
 */
class ForeignChecks {

	private static final List<String> MODES = List.of("X", "F", "R", "S");

	private static final List<String> SETS = List.of("queue", "holders", "readers", "admitted");

	void hashOfAnotherProgramIsNoFreeLock(LockScriptHarness lock) {
		refused(lock, "is a hash without the field 'state' of a lock",
				() -> lock.redis.hset(lock.key, Map.of("balance", "100", "owner", "42", "m", "X", "", "empty name")));
	}

	void heldLockOfRedissonIsNoFreeLock(LockScriptHarness lock) {
		refused(lock, "is a hash without the field 'state' of a lock",
				() -> lock.redis.hset(lock.key, "8743c9c0-0795-4907-87fd-6c719a6b4586:1", "1"));
	}

	/** Also where the last byte, or the last byte but one, is missing. */
	void stateThatIsNoneIsNoLock(LockScriptHarness lock) {
		for (String state : List.of("PAID", "", "\5", "\5" + "\0".repeat(62), "\5" + "\0".repeat(64))) {
			refused(lock, "is a hash whose field 'state' is not that of a lock",
					() -> lock.redis.hset(lock.key, Map.of("state", state, "", "empty name")));
		}
	}

	void valueOfAnotherTypeIsNoFreeLock(LockScriptHarness lock) {
		String neither = "is neither a hash nor a sorted set";
		refused(lock, neither, () -> lock.redis.set(lock.key, "x"));
		refused(lock, neither, () -> lock.redis.rpush(lock.key, "x"));
		refused(lock, neither, () -> lock.redis.sadd(lock.key, "x"));
		refused(lock, neither, () -> lock.redis.xadd(lock.key, Map.of("x", "1")));
		refused(lock, "is a sorted set", () -> lock.redis.zadd(lock.key, 1, "x"));
	}

	private static void refused(LockScriptHarness lock, String said, Runnable put) {
		put.run();
		byte[] before = lock.redis.dump(lock.key);
		commands(lock, request(A))
			.forEach((name, command) -> assertThatThrownBy(command).as(name).hasMessage("LOCKFOREIGN 1 " + said));
		assertThat(lock.renew(request(A), 20_000)).as("which a holder takes for a loss").isZero();
		assertThat(lock.redis.dump(lock.key)).isEqualTo(before);
		assertThat(lock.redis.pttl(lock.key)).isEqualTo(-1);
		lock.startOver();
	}

	private static Map<String, ThrowingCallable> commands(LockScriptHarness lock, String request) {
		Map<String, ThrowingCallable> commands = new LinkedHashMap<>();
		MODES.forEach((mode) -> commands.put(mode, () -> lock.acquire(mode, request, 10_000, 5_000)));
		commands.put("release", () -> lock.release(request));
		commands.put("abandon", () -> lock.abandon(request));
		commands.put("withdraw", () -> lock.withdraw(request));
		commands.put("replace", () -> lock.replace(request, request(A)));
		commands.put("raise", () -> lock.raise(request, 1));
		commands.put("force", () -> lock.force(""));
		commands.put("inspect", () -> lock.inspect(9));
		return commands;
	}

	void setOfAnotherTypeIsNotThatOfALock(LockScriptHarness lock) {
		for (String set : SETS) {
			for (Consumer<LockScriptHarness> before : List.<Consumer<LockScriptHarness>>of((free) -> {
			}, (held) -> held.take("R", B), (queued) -> {
				queued.take("X", B);
				queued.waitFor("F", C);
			}, (released) -> released.release(released.take("X", B)))) {
				refused(lock, set, "a hash", (key) -> lock.redis.hset(key, "", "x"), before);
				refused(lock, set, "neither a hash nor a sorted set", (key) -> lock.redis.set(key, "x"), before);
			}
		}
	}

	private static void refused(LockScriptHarness lock, String set, String said, Consumer<String> put,
			Consumer<LockScriptHarness> before) {
		before.accept(lock);
		String key = LockOnTheWire.set(set, lock.key);
		int place = 2 + SETS.indexOf(set);
		lock.redis.del(key);
		put.accept(key);
		byte[] foreign = lock.redis.dump(key);
		Stream.of("F", "R", "S")
			.forEach((mode) -> assertThatThrownBy(() -> lock.acquire(mode, request(A))).as(mode)
				.hasMessage("LOCKFOREIGN " + place + " is " + said));
		assertThatThrownBy(() -> lock.force("")).hasMessage("LOCKFOREIGN " + place + " is " + said);
		assertThatThrownBy(() -> lock.raise(request(A), 1)).hasMessage("LOCKFOREIGN " + place + " is " + said);
		assertThatThrownBy(() -> lock.inspect(9)).hasMessage("LOCKFOREIGN " + place + " is " + said);
		assertThat(lock.redis.dump(key)).isEqualTo(foreign);
		assertThat(lock.redis.pttl(key)).isEqualTo(-1);
		lock.startOver();
	}

	/** The lease is lost, and those that are renewed with it are not. */
	void setOfAnotherTypeEndsOnlyTheRenewalsOfItsLock(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		String holders = LockOnTheWire.set("holders", lock.key);
		lock.redis.del(holders);
		lock.redis.set(holders, "x");
		String key = lock.key;
		lock.key += "other";
		String other = lock.take("X", A);
		assertThat(lock.renew(List.of(key, lock.key), List.of(reader, other), 20_000)).containsExactly(0L, 1L);
		assertThat(lock.redis.get(holders)).isEqualTo("x");
	}

	void entryOfAReaderThatIsCutShortEndsOnlyItsOwnRenewals(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.redis.hset(lock.key, "by" + LockScriptHarness.bytes(reader.substring(0, 20)), "cut");
		String key = lock.key;
		lock.key += "other";
		String other = lock.take("X", A);
		assertThat(lock.renew(List.of(key, lock.key), List.of(reader, other), 20_000)).containsExactly(0L, 1L);
	}

	/** They are left of a hash that was deleted, and the next command empties them. */
	void setsOfADeletedHashAreNotForeign(LockScriptHarness lock) {
		for (String mode : MODES) {
			lock.take("R", B);
			lock.waitFor("F", C);
			lock.redis.del(lock.key);
			lock.take(mode, A);
			lock.startOver();
		}
	}

	void refusalToLookAtASetIsNotTakenForALoss(LockScriptHarness lock) {
		String reader = lock.take("R", A);
		lock.redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.ZSCORE));
		assertThatThrownBy(() -> lock.renew(reader, 20_000)).hasMessageFindingMatch(refusalOf("zscore"));
		assertThat(lock.rest(reader)).isLessThan(15_000);
	}

	void refusalToLookAtASetIsNotTakenForAForeignOne(LockScriptHarness lock) {
		lock.take("R", A);
		lock.redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.ZRANGE));
		assertThatThrownBy(() -> lock.acquire("R", request(B))).hasMessageFindingMatch(refusalOf("zrange"));
	}

	void refusalToLookAtTheHashIsNotTakenForAFreeLock(LockScriptHarness lock) {
		lock.take("X", A);
		lock.redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.HMGET));
		commands(lock, request(B))
			.forEach((name, command) -> assertThatThrownBy(command).hasMessageFindingMatch(refusalOf("hmget")));
	}

	/** As servers before and since 7.2 say it. */
	private static String refusalOf(String command) {
		return "user executing the script can't run this command|has no permissions to run the '" + command
				+ "' command";
	}

}
