package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * The view that a check has of the state of its lock, and its changes to that state.
 */
abstract class LockView {

	/** The answer for a lease that has run out. */
	static final long EXPIRED = 2;

	/** Each byte is a character. */
	final RedisCommands<String, String> redis;

	final LockOnTheWire wire;

	String key = "";

	LockView(RedisCommands<String, String> redis) {
		this.redis = redis;
		this.wire = new LockOnTheWire(redis);
	}

	/** Run a script. */
	abstract List<?> ask(LockScript script, List<String> keys, String... args);

	/** Permits, time that it is kept, 1 for sharers, holders, waiters, and holders. */
	List<Object> inspect(int most) {
		List<String> keys = new ArrayList<>(List.of(this.key));
		Stream.of("queue", "holders", "readers", "admitted")
			.forEach((set) -> keys.add(LockOnTheWire.set(set, this.key)));
		String limits = LockScriptHarness.text(new Packed().number(most, 4).number(3, 4));
		List<Object> values = new ArrayList<>(ask(LockScript.INSPECT, keys, limits));
		for (int i = 5; i < values.size(); i += 4) {
			values.set(i, HexFormat.of().formatHex(((String) values.get(i)).getBytes(StandardCharsets.ISO_8859_1)));
		}
		return values;
	}

	/** Set the name of an instance, unless the argument is empty, and return it. */
	String name(String name, long millis) {
		String packed = LockScriptHarness.text(new Packed().millis(Duration.ofMillis(millis)));
		return (String) ask(LockScript.NAME, List.of(this.key + ":name"), name, packed).get(0);
	}

	/** The seconds, the microseconds and the eviction policy. */
	List<String> health(boolean policy) {
		return ask(LockScript.HEALTH, List.of(this.key), policy ? "1" : "0").stream().map(String.class::cast).toList();
	}

	/** Forbid every command that may need memory. */
	void fillMemory() {
		this.redis.configSet("maxmemory-policy", "noeviction");
		this.redis.configSet("maxmemory", "1");
	}

	/** The server becomes a replica of an address without one, and keeps its data. */
	void demote() {
		this.redis.replicaof("127.0.0.1", 1);
	}

	/** Memory is there again. */
	void emptyMemory() {
		this.redis.configSet("maxmemory", "0");
	}

	/** The server's clock in milliseconds. */
	long now() {
		List<String> time = this.redis.time();
		return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
	}

	/** Rows of signs are distinguished by the millisecond in which they began. */
	void awaitNextMillisecond() {
		long before = now();
		while (now() == before) {
			Thread.onSpinWait();
		}
	}

	/** A value of the state, as docs/show-lock.lua calls it. */
	String get(String name) {
		return this.wire.get(this.key, name);
	}

	long number(String name) {
		return Long.parseLong(get(name));
	}

	/** The time left until a deadline in the state. */
	long left(String name) {
		return number(name) - now();
	}

	/** Change a number in the state. */
	void set(String name, long value) {
		this.wire.set(this.key, name, value);
	}

	/**
	 * Let a deadline pass, or lie in the future as if the server's clock had gone back.
	 */
	void move(String name, long millisFromNow) {
		set(name, now() + millisFromNow);
	}

	/** Let the lease run out. */
	void expire() {
		move("deadline", -1);
	}

	/** The content of the lines with a name, in order. */
	List<String> lines(String name) {
		return this.wire.lines(this.key, name);
	}

	/** The instances in line. */
	List<String> line() {
		return lines("waiter").stream().map((line) -> line.substring(0, 16)).toList();
	}

	/** Put instances in line whose entries end at so many milliseconds from now. */
	void stand(Map<String, Long> instances) {
		StringBuilder line = new StringBuilder();
		instances.forEach((instance, millis) -> line.append(LockScriptHarness.bytes(instance))
			.append(LockScriptHarness.text(new Packed().number(now() + millis, 6).number(0, 1).number(0, 8)))
			.append(LockScriptHarness.text(new Packed().number(0, 6).number(0, 1).number(0, 7))));
		this.redis.hset(this.key, "waiters", line.toString());
	}

	/** How the last request of a contender ended or goes on, or nothing. */
	String status(String request) {
		return this.wire.status(this.key, request);
	}

	/** The time left of the lease of a reader or permit. */
	long rest(String holder) {
		return Long.parseLong(this.wire.last(this.key, holder).get(2)) - now();
	}

	/** Move the end of the lease of a reader or permit. */
	void shift(String holder, long millisFromNow) {
		String name = "by" + LockScriptHarness.bytes(holder.substring(0, 20));
		long deadline = now() + millisFromNow;
		String value = this.redis.hget(this.key, name);
		this.redis.hset(this.key, name,
				value.substring(0, 7) + LockScriptHarness.text(new Packed().number(deadline, 6)) + value.substring(13));
		this.redis.zadd(LockOnTheWire.set("holders", this.key), deadline,
				LockScriptHarness.bytes(holder.substring(0, 20)));
	}

	/** Move the end of the entry of a fair request. */
	void shiftPlace(String fair, long millisFromNow) {
		String value = this.redis.hget(this.key, "q" + LockScriptHarness.bytes(fair));
		this.redis.hset(this.key, "q" + LockScriptHarness.bytes(fair),
				LockScriptHarness.text(new Packed().number(now() + millisFromNow, 6)) + value.substring(6));
	}

	/** The end of the last sign of life of an instance. */
	long signEnd(String instance) {
		return sign(instance, 1);
	}

	/** The time of the first sign of life of an instance since none was late. */
	long signSince(String instance) {
		return sign(instance, 2);
	}

	private long sign(String instance, int word) {
		return lines("sign").stream()
			.map((line) -> line.split(" "))
			.filter((words) -> words[0].equals(instance))
			.mapToLong((words) -> Long.parseLong(words[word]))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Move the end of the last sign of life of an instance. Returns later than in the
	 * millisecond of the first one, in which a sign is never late: a fast server came to
	 * the next one in it, and took it for the same.
	 */
	void shiftSign(String instance, long millisFromNow) {
		String name = "i" + LockScriptHarness.bytes(instance);
		this.redis.hset(this.key, name, LockScriptHarness.text(new Packed().number(now() + millisFromNow, 6))
				+ this.redis.hget(this.key, name).substring(6));
		long since = signSince(instance);
		while (now() <= since) {
			Thread.onSpinWait();
		}
	}

	/** Move the end of the entry of a reader that waits. */
	void shiftReader(String reader, long millisFromNow) {
		this.redis.zadd(LockOnTheWire.set("readers", this.key), (double) (now() + millisFromNow),
				LockScriptHarness.bytes(reader));
	}

	/** The fair requests in order. */
	List<String> queue() {
		return lines("fair").stream().map((line) -> line.substring(0, 32)).toList();
	}

	/** The ticket of a fair request. */
	String place(String fair) {
		return lines("fair").stream()
			.filter((line) -> line.startsWith(fair))
			.map((line) -> line.split(" "))
			.map((words) -> words[1])
			.findFirst()
			.orElse(null);
	}

	/** Return whether requests read, or have permits. */
	boolean hold(String... requests) {
		return members("holders").containsAll(Stream.of(requests).map((request) -> request.substring(0, 20)).toList());
	}

	/** The requests, or contenders, in a set. */
	List<String> members(String set) {
		return lines(set).stream().map((line) -> line.split(" ")[0]).toList();
	}

	/** For how long readers that are admitted come first. */
	String admitted() {
		return LockOnTheWire.set("admitted", this.key);
	}

}
