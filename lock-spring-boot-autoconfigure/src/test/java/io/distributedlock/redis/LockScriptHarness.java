package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Runs the scripts' text directly, on a key of its own, so that a check sees the wire and
 * nothing else. The text can be a broken one.
 */
final class LockScriptHarness {

	static final String A = "aaaaaaaaaaaaaaaa";

	static final String B = "bbbbbbbbbbbbbbbb";

	static final String C = "cccccccccccccccc";

	/** Marks of renewals by one process, and by another one with the same request. */
	static final String ONE = "11111111";

	static final String OTHER = "22222222";

	static final long RETENTION = 60_000;

	private static final String CHANNELS = "lock:!wake:";

	/** What the names of sharded channels have in their braces. */
	private static final String SHARD = "check";

	private static final AtomicLong SEQUENCE = new AtomicLong();

	private final Map<LockScript, String> sources = new EnumMap<>(LockScript.class);

	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private final StatefulRedisPubSubConnection<String, String> subscription;

	/** Redis 7 and newer. */
	private final boolean knowsShards;

	final RedisCommands<String, String> redis;

	String key = "lock:check" + SEQUENCE.incrementAndGet();

	/** How requests come, see acquire.lua. */
	String way = "";

	/** How those who wait want to be told: 's' on a sharded channel. */
	String listens = "";

	LockScriptHarness(RedisCommands<String, String> redis, StatefulRedisPubSubConnection<String, String> subscription) {
		this.redis = redis;
		this.subscription = subscription;
		this.knowsShards = redis.commandInfo("spublish").stream().allMatch(Objects::nonNull);
		for (LockScript script : LockScript.values()) {
			replace(script, new String(script.source(), StandardCharsets.UTF_8));
		}
		subscription.addListener(new RedisPubSubAdapter<>() {
			@Override
			public void message(String pattern, String channel, String message) {
				boolean astray = LockScriptHarness.this.knowsShards && channel.contains(SHARD);
				received(channel, astray ? message + " to all" : message);
			}

			@Override
			public void smessage(String channel, String message) {
				received(channel, message);
			}

			private void received(String channel, String message) {
				LockScriptHarness.this.messages.add(channel.substring(CHANNELS.length()) + ' ' + message);
			}
		});
		subscription.sync().psubscribe(CHANNELS + '*');
		if (this.knowsShards) {
			Stream.of(A, B, C).forEach((instance) -> subscription.sync().ssubscribe(CHANNELS + sharded(instance)));
		}
	}

	/** A server that does not know the command gets one by which it shows the same. */
	void replace(LockScript script, String source) {
		this.sources.put(script, this.knowsShards ? source : source.replace("'SPUBLISH'", "'PUBLISH'"));
	}

	/** How the wake-up of an instance shows that listens on a sharded channel. */
	static String sharded(String instance) {
		return '{' + SHARD + "}:" + instance;
	}

	/** Several keys, the usual one first. */
	List<String> keys() {
		return List.of(this.key, this.key + ":b", this.key + ":c");
	}

	void startOver() {
		this.redis.aclSetuser("default", AclSetuserArgs.Builder.allCommands());
		this.redis.configSet("maxmemory", "0");
		this.redis.replicaofNoOne();
		this.redis.flushall();
		// Also those that are still on their way.
		wakeUps();
		this.way = "";
		this.listens = "";
		this.key = "lock:check" + SEQUENCE.incrementAndGet();
	}

	static String request(String instance) {
		return instance + "%016x".formatted(SEQUENCE.incrementAndGet());
	}

	/** Take the lock, or fail. */
	long take(String request, long ttl, long keepFor) {
		List<Object> answer = acquire(request, ttl, keepFor, 0, 0);
		if ((Long) answer.get(0) != 1) {
			throw new AssertionError("Expected to be granted but was " + answer);
		}
		return (Long) answer.get(1);
	}

	List<Object> acquire(String request) {
		return acquire(request, 10_000, 0, 0, 0);
	}

	List<Object> waitFor(String request) {
		return acquire(request, 10_000, 0, 0, 5_000);
	}

	List<Object> acquire(String request, long ttl, long keepFor, long highest, long waiting) {
		return acquire(List.of(this.key), request, ttl, keepFor, highest, waiting);
	}

	List<Object> acquire(List<String> keys, String request) {
		return acquire(keys, request, 10_000, 0, 0, 0);
	}

	List<Object> acquire(List<String> keys, String request, long ttl, long keepFor, long highest, long waiting) {
		return acquire("X", keys, request, ttl, keepFor, highest, waiting, 0, "");
	}

	/** As 'X' exclusive, 'F' fair, 'R' read or 'S' semaphore. */
	List<Object> acquire(String mode, List<String> keys, String request, long ttl, long keepFor, long highest,
			long waiting, int permits, String beside) {
		return this.redis.eval(this.sources.get(LockScript.ACQUIRE), ScriptOutputType.MULTI,
				keys.toArray(String[]::new), request, Long.toString(ttl), Long.toString(keepFor),
				Long.toString(highest), Long.toString(waiting), Long.toString(RETENTION), mode,
				Integer.toString(permits), beside, CHANNELS, "lock:".length() + "", this.way, SHARD, this.listens);
	}

	List<Object> acquire(String mode, String request) {
		return acquire(mode, request, 10_000, 0);
	}

	/** A semaphore has two permits. */
	List<Object> acquire(String mode, String request, long ttl, long waiting) {
		return acquire(mode, List.of(this.key), request, ttl, waiting);
	}

	List<Object> acquire(String mode, List<String> keys, String request, long ttl, long waiting) {
		return acquire(mode, keys, request, ttl, 0, 0, waiting, mode.equals("S") ? 2 : 0, "");
	}

	/** Take it, or fail. */
	String take(String mode, String instance) {
		String request = request(instance);
		come(mode, request);
		return request;
	}

	/** Get it at last, or fail. */
	long come(String mode, String request) {
		List<Object> answer = acquire(mode, request);
		if ((Long) answer.get(0) != 1) {
			throw new AssertionError("Expected to be granted but was " + answer);
		}
		return (Long) answer.get(1);
	}

	/** Ask for it in vain. */
	String waitFor(String mode, String instance) {
		return waitAgain(mode, request(instance));
	}

	String waitAgain(String mode, String request) {
		List<Object> answer = acquire(mode, request, 10_000, 5_000);
		if ((Long) answer.get(0) != 0) {
			throw new AssertionError("Expected to be busy but was " + answer);
		}
		return request;
	}

	long release(String request) {
		return release(List.of(this.key), request);
	}

	long release(List<String> keys, String request) {
		return end(LockScript.RELEASE, keys, request, 0, "");
	}

	/** With the marks of its renewals. */
	long release(String request, String marks) {
		return end(LockScript.RELEASE, List.of(this.key), request, 0, marks);
	}

	long abandon(String request) {
		return abandon(List.of(this.key), request);
	}

	long abandon(List<String> keys, String request) {
		return end(LockScript.ABANDON, keys, request, 0, "");
	}

	/** Abandon for an instance that goes on waiting for five seconds. */
	long withdraw(String request) {
		return end(LockScript.ABANDON, List.of(this.key), request, 5_000, "");
	}

	/**
	 * Abandon for a caller that goes on waiting for five seconds with another request.
	 */
	long replace(String request, String successor) {
		return replace(List.of(this.key), request, successor);
	}

	long replace(List<String> keys, String request, String successor) {
		return end(LockScript.ABANDON, keys, request, 5_000, successor);
	}

	/** The waiters are told "k", those of further keys "k1", "k2" and so on. */
	private long end(LockScript script, List<String> keys, String request, long waiting, String last) {
		List<String> args = new ArrayList<>(List.of(request, Long.toString(RETENTION), CHANNELS));
		for (int i = 0; i < keys.size(); i++) {
			args.add((i > 0) ? "k" + i : "k");
		}
		args.addAll(List.of(Long.toString(waiting), SHARD, last));
		return this.redis.eval(this.sources.get(script), ScriptOutputType.INTEGER, keys.toArray(String[]::new),
				args.toArray(String[]::new));
	}

	long renew(String request, long ttl) {
		return renew(request, ttl, "");
	}

	/** With marks of 8 digits, the newest one first, and commas in between. */
	long renew(String request, long ttl, String marks) {
		return renew(List.of(this.key), List.of(request), ttl, marks).get(0);
	}

	List<Long> renew(List<String> keys, List<String> requests, long ttl) {
		return renew(keys, requests, ttl, "");
	}

	private List<Long> renew(List<String> keys, List<String> requests, long ttl, String marks) {
		List<String> args = new ArrayList<>(List.of(Long.toString(RETENTION)));
		requests.forEach((request) -> args.addAll(List.of(request, Long.toString(ttl), marks)));
		return this.redis.eval(this.sources.get(LockScript.RENEW), ScriptOutputType.MULTI, keys.toArray(String[]::new),
				args.toArray(String[]::new));
	}

	long raise(String request, long token) {
		return raise(List.of(this.key), request, token);
	}

	long raise(List<String> keys, String request, long token) {
		return this.redis.eval(this.sources.get(LockScript.RAISE), ScriptOutputType.INTEGER,
				keys.toArray(String[]::new), request, Long.toString(token));
	}

	/** The server's clock in milliseconds. */
	long now() {
		List<String> time = this.redis.time();
		return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
	}

	String field(String name) {
		return this.redis.hget(this.key, name);
	}

	/** What is left of a deadline in a field. */
	long left(String field) {
		return Long.parseLong(field(field)) - now();
	}

	/**
	 * Let a deadline pass, or lie in the future as if the server's clock had gone back.
	 */
	void move(String field, long millisFromNow) {
		this.redis.hset(this.key, field, Long.toString(now() + millisFromNow));
	}

	/** As {@link #move} for a field whose deadline is followed by other things. */
	void shift(String field, long millisFromNow) {
		String value = field(field);
		this.redis.hset(this.key, field, (now() + millisFromNow) + value.substring(value.indexOf(':')));
	}

	/** What is left of a deadline that is followed by other things. */
	long rest(String field) {
		String value = field(field);
		return Long.parseLong(value.substring(0, value.indexOf(':'))) - now();
	}

	/** Let the lease run out. */
	void expire() {
		move("x", -1);
	}

	/** Forbid every command that may need memory. */
	void fillMemory() {
		this.redis.configSet("maxmemory-policy", "noeviction");
		this.redis.configSet("maxmemory", "1");
	}

	/** The server becomes a replica of nobody who answers, and keeps its data. */
	void demote() {
		this.redis.replicaof("127.0.0.1", 1);
	}

	/** What acquire.lua tells waiters: the key without what is in front of all keys. */
	String name() {
		return this.key.substring("lock:".length());
	}

	/** Memory is there again. */
	void emptyMemory() {
		this.redis.configSet("maxmemory", "0");
	}

	/** Who was woken since the last time, in order. */
	List<String> wakeUps() {
		String mark = "mark" + SEQUENCE.incrementAndGet();
		this.redis.publish(CHANNELS + mark, "");
		List<String> woken = new ArrayList<>();
		try {
			for (String message = this.messages.poll(10, TimeUnit.SECONDS); !(mark + ' ')
				.equals(message); message = this.messages.poll(10, TimeUnit.SECONDS)) {
				if (message == null) {
					throw new AssertionError("The subscription is silent");
				}
				woken.add(message);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return woken;
	}

	void close() {
		this.subscription.close();
	}

}
