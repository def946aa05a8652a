package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Runs the scripts directly, on a key of its own, so that a check sees the wire and
 * nothing else. Their text can be a broken one. A request for one lock alone goes to the
 * short scripts first, as that of the store does, unless these are to be left out.
 */
final class LockScriptHarness extends LockView {

	static final String A = "aaaaaaaaaaaaaaaa";

	static final String B = "bbbbbbbbbbbbbbbb";

	static final String C = "cccccccccccccccc";

	/** Marks of renewals by one process, and by another one with the same request. */
	static final String ONE = "11111111";

	static final String OTHER = "22222222";

	/** The marks of a process that has only a handle. */
	static final String HANDLE = "*";

	static final long RETENTION = 60_000;

	private static final String PREFIX = "lock:";

	private static final AtomicLong SEQUENCE = new AtomicLong();

	/** The digests of the script texts that the server was given last. */
	private final Map<LockScript, String> digests = new EnumMap<>(LockScript.class);

	private final RedisAsyncCommands<String, String> commands;

	private final WakeUpMessages messages;

	/** How requests come, see acquire.lua. */
	String way = "turn";

	/** How many tokens requests reserve behind their own. */
	int spareTokens;

	/** How long a release gives the lock to waiters, in milliseconds. */
	long claim;

	/** How long the lock stays closed after a lease that ran out, in milliseconds. */
	long delay;

	/** How many permits a request takes. */
	int take = 1;

	/** How many keys scripts get more than they are told, or fewer. */
	int surplus;

	/** {@code true} if other instances were in line at the last grant. */
	boolean contended;

	/** {@code true} to leave out the short scripts. */
	boolean general;

	/** {@code true} to put requests for the short scripts between others in one call. */
	boolean gathered;

	LockScriptHarness(StatefulRedisConnection<String, String> connection,
			StatefulRedisPubSubConnection<String, String> subscription) {
		super(connection.sync());
		this.commands = connection.async();
		for (LockScript script : LockScript.values()) {
			replace(script, new String(script.script.source, StandardCharsets.UTF_8));
		}
		this.messages = new WakeUpMessages(this.redis, subscription);
		this.key = nextKey();
	}

	private static String nextKey() {
		return PREFIX + ":check" + SEQUENCE.incrementAndGet();
	}

	void replace(LockScript script, String source) {
		this.digests.put(script, load(source));
	}

	/** A text that is no script is one that the server does not know. */
	private String load(String source) {
		try {
			return this.redis.scriptLoad(source);
		}
		catch (RedisCommandExecutionException ex) {
			return "0".repeat(40);
		}
	}

	/** Several keys, the usual one first. */
	List<String> keys() {
		return List.of(this.key, this.key + ":b", this.key + ":c");
	}

	/** In one go, because it comes before each of thousands of checks. */
	void startOver() {
		LettuceFutures.awaitAll(Duration.ofSeconds(10),
				this.commands.aclSetuser("default", AclSetuserArgs.Builder.allCommands()),
				this.commands.configSet("maxmemory", "0"), this.commands.replicaofNoOne(), this.commands.flushall());
		// Also those that are still on their way.
		wakeUps();
		this.way = "turn";
		this.spareTokens = 0;
		this.claim = 0;
		this.delay = 0;
		this.take = 1;
		this.surplus = 0;
		this.key = nextKey();
	}

	/** A request in a place of its own. */
	static String request(String instance) {
		return request(instance, 1 + (int) (SEQUENCE.incrementAndGet() % RequestId.LAST_PLACE));
	}

	/** A request after all others in its place. */
	static String request(String instance, int place) {
		return instance + "%04x%012x".formatted(place, SEQUENCE.incrementAndGet() << 12);
	}

	/** A request with the same number in another process. */
	static String twin(String request) {
		return request.substring(0, request.length() - 1) + '1';
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

	/**
	 * As 'X' exclusive, 'F' fair, 'R' read or 'S' semaphore.
	 * @return 1 and the token, or 0 and the rest of the answer if it is busy, 2 if the
	 * request is refused, 3 and the rest of the answer if it is another kind of lock
	 */
	List<Object> acquire(String mode, List<String> keys, String request, long ttl, long keepFor, long highest,
			long waiting, int permits, String beside) {
		Packed packed = new Packed().millis(Duration.ofMillis(ttl))
			.millis(Duration.ofMillis(keepFor))
			.number(highest, 7)
			.waiting(Duration.ofMillis(waiting));
		if (!this.general && mode.equals("X") && keys.size() == 1 && this.way.equals("turn") && this.delay == 0) {
			String retention = text(new Packed().millis(Duration.ofMillis(RETENTION))
				.number(this.spareTokens, 2)
				.number(this.claim, 6));
			Object answer = run(LockScript.LOCK, keys, bytes(request) + text(packed) + retention);
			if (!WireFormat.isSentOn(answer)) {
				return normalized(answer);
			}
		}
		return normalized(runInAnyMode(LockScript.ACQUIRE, mode.equals("X"), keys, request,
				text(packed.number(permits, 4)
					.number(this.spareTokens, 2)
					.number(this.claim, 6)
					.number(this.delay, 4)
					.number(this.take, 2)),
				Map.of("X", "exclusive", "F", "fair", "R", "read", "S", "semaphore").get(mode), this.way,
				bytes(beside)));
	}

	private List<Object> normalized(Object answer) {
		List<Object> values = new ArrayList<>((List<?>) answer);
		this.contended = values.size() == 2;
		if (this.contended) {
			return List.of(1L, values.get(1));
		}
		if (values.size() == 1) {
			return ((Long) values.get(0) == -2) ? List.of(2L) : List.of(1L, values.get(0));
		}
		if ((Long) values.get(0) == 0) {
			for (int i = 2; i < values.size(); i += 3) {
				values.set(i, HexFormat.of().formatHex(((String) values.get(i)).getBytes(StandardCharsets.ISO_8859_1)));
			}
		}
		else {
			values.set(0, 3L);
		}
		return values;
	}

	private Object run(LockScript script, List<String> keys, String... args) {
		if (this.gathered && (script == LockScript.LOCK || script == LockScript.UNLOCK)) {
			Gathered own = new Gathered(script, keys.get(0), args[0]);
			Gathered other = new Gathered(LockScript.UNLOCK, nextKey(), common(request(C)));
			return answers(List.of(other, own, other)).get(1).orElseThrow();
		}
		return send(script, keys, args);
	}

	private <T> T send(LockScript script, List<String> keys, String... args) {
		List<String> others = new ArrayList<>(keys.subList(0, keys.size() + Math.min(this.surplus, 0)));
		others.addAll(Collections.nCopies(Math.max(this.surplus, 0), nextKey()));
		String digest = this.digests.get(script);
		return this.redis.evalsha(digest, ScriptOutputType.MULTI, others.toArray(String[]::new), args);
	}

	/** Do it in one call, in the order of the requests. */
	List<Answer> gather(Gathered... requests) {
		return answers(List.of(requests));
	}

	private List<Answer> answers(List<Gathered> requests) {
		List<String> keys = new ArrayList<>();
		List<String> args = new ArrayList<>(List.of(""));
		for (Gathered request : requests) {
			keys.add(request.key());
			args.set(0, args.get(0) + ((request.script() == LockScript.LOCK) ? 'L' : 'U'));
			args.add(request.packed());
		}
		keys.add(PREFIX + "%absent");
		// As a driver does that numbers its commands.
		args.add("number");
		List<?> values = send(LockScript.GATHER, keys, args.toArray(String[]::new));
		List<Answer> answers = new ArrayList<>();
		for (int at = 0; at < values.size();) {
			int size = ((Long) values.get(at)).intValue();
			int end = at + 1 + Math.max(1, size);
			answers.add(new Answer(size == 0, values.subList(at + 1, end)));
			at = end;
		}
		if (answers.size() != requests.size()) {
			throw new AssertionError(answers.size() + " answers to " + requests.size() + " requests");
		}
		return answers;
	}

	/** A request for {@link #gather}, that takes a lock for ten seconds. */
	Gathered taking(String key, String request) {
		Packed packed = new Packed().millis(Duration.ofMillis(10_000)).millis(Duration.ZERO).number(0, 7);
		return new Gathered(LockScript.LOCK, key, bytes(request) + text(packed.waiting(Duration.ofSeconds(5)))
				+ text(new Packed().millis(Duration.ofMillis(RETENTION)).number(0, 2).number(0, 6)));
	}

	/** A request for {@link #gather} that releases a lock. */
	Gathered releasing(String key, String request) {
		return new Gathered(LockScript.UNLOCK, key, common(request));
	}

	/** First without the sorted sets if these may be left out. */
	private Object runInAnyMode(LockScript script, boolean lean, List<String> keys, String request, String... more) {
		List<String> list = new ArrayList<>(List.of(common(request) + text(new Packed().number(keys.size(), 2))));
		list.addAll(List.of(more));
		String[] args = list.toArray(String[]::new);
		Object answer = (lean && !this.general) ? run(script, keys, args) : List.of(-1L);
		return WireFormat.isSentOn(answer) ? run(script, all(keys), args) : answer;
	}

	private static String common(String request) {
		return bytes(request) + text(new Packed().millis(Duration.ofMillis(RETENTION)).number(PREFIX.length(), 2));
	}

	/** Return the bytes that the hexadecimal digits stand for. */
	static String bytes(String hex) {
		return new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
	}

	static String text(Packed packed) {
		return new String(packed.toBytes(), StandardCharsets.ISO_8859_1);
	}

	/** The hashes and the sets of each. */
	private static List<String> all(List<String> keys) {
		List<String> all = new ArrayList<>(keys);
		for (String key : keys) {
			Stream.of("queue", "holders", "readers", "admitted").forEach((set) -> all.add(LockOnTheWire.set(set, key)));
		}
		return all;
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
		return release(keys, request, "");
	}

	/** With the marks of its renewals. */
	long release(String request, String marks) {
		return release(List.of(this.key), request, marks);
	}

	private long release(List<String> keys, String request, String marks) {
		String packed = text(new Packed().marks(new RenewalMarks(marks)));
		if (!this.general && keys.size() == 1 && !marks.equals(HANDLE)) {
			Object answer = run(LockScript.UNLOCK, keys, common(request) + packed);
			if (!WireFormat.isSentOn(answer)) {
				return flag(answer);
			}
		}
		return flag(runInAnyMode(LockScript.RELEASE, true, keys, request, packed));
	}

	private static long flag(Object answer) {
		return (Long) ((List<?>) answer).get(0);
	}

	long abandon(String request) {
		return abandon(List.of(this.key), request);
	}

	long abandon(List<String> keys, String request) {
		return abandon(keys, request, 0, "");
	}

	/** Abandon for an instance that goes on waiting for five seconds. */
	long withdraw(String request) {
		return abandon(List.of(this.key), request, 5_000, "");
	}

	/**
	 * Abandon for a caller that goes on waiting for five seconds with another request.
	 */
	long replace(String request, String successor) {
		return replace(List.of(this.key), request, successor);
	}

	long replace(List<String> keys, String request, String successor) {
		return abandon(keys, request, 5_000, successor);
	}

	private long abandon(List<String> keys, String request, long waiting, String successor) {
		return flag(runInAnyMode(LockScript.ABANDON, successor.isEmpty(), keys, request,
				text(new Packed().waiting(Duration.ofMillis(waiting))), bytes(successor)));
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
		List<Long> answer = renew(keys, requests, ttl, marks, this.general);
		return WireFormat.isSentOn(answer) ? renew(keys, requests, ttl, marks, true) : answer;
	}

	@SuppressWarnings("unchecked")
	private List<Long> renew(List<String> keys, List<String> requests, long ttl, String marks, boolean sets) {
		List<String> all = new ArrayList<>(keys);
		List<String> args = new ArrayList<>();
		args.add(text(new Packed().millis(Duration.ofMillis(RETENTION))
			.number(keys.size(), 2)
			.number((sets ? 2 : 1) * keys.size(), 2)));
		for (int i = 0; i < keys.size(); i++) {
			if (sets) {
				all.add(LockOnTheWire.set("holders", keys.get(i)));
			}
			args.add(bytes(requests.get(i)) + text(new Packed().millis(Duration.ofMillis(ttl))
				.number(sets ? all.size() : 0, 2)
				.marks(new RenewalMarks(marks))));
		}
		// As a driver does that numbers its commands.
		args.add("number");
		return (List<Long>) run(LockScript.RENEW, all, args.toArray(String[]::new));
	}

	long extend(String request, long ttl, String marks) {
		return extend(List.of(this.key), request, ttl, "", marks);
	}

	long extend(String request, long ttl, long keepFor, String marks) {
		return extend(List.of(this.key), request, ttl, text(new Packed().millis(Duration.ofMillis(keepFor))), marks);
	}

	long extend(List<String> keys, String request, long ttl, String kept, String marks) {
		Packed lease = new Packed().millis(Duration.ofMillis(ttl)).marks(new RenewalMarks(marks));
		return flag(runInAnyMode(LockScript.EXTEND, true, keys, request, text(lease), kept));
	}

	long raise(String request, long token) {
		return raise(List.of(this.key), request, token);
	}

	long raise(List<String> keys, String request, long token) {
		return flag(runInAnyMode(LockScript.RAISE, false, keys, request, Long.toString(token)));
	}

	/** Take the lock away from all, or from one request only, or "refuse" that. */
	long force(String only, String... way) {
		String request = only.isEmpty() ? "0".repeat(32) : only;
		return flag(runInAnyMode(LockScript.FORCE, false, List.of(this.key), request, String.join("", way)));
	}

	/** Set the number of permits for all requests, or remove it. */
	long setPermits(int permits) {
		return flag(runInAnyMode(LockScript.PERMITS, false, List.of(this.key), "0".repeat(32),
				text(new Packed().number(permits, 4))));
	}

	@Override
	List<?> ask(LockScript script, List<String> keys, String... args) {
		return (List<?>) run(script, keys, args);
	}

	/** Who was woken since the last time, in order, for "k", "k1" or "k2". */
	List<String> wakeUps() {
		return this.messages.take(keys());
	}

	/** A request of several in a call: its script when alone, its lock, its argument. */
	record Gathered(LockScript script, String key, String packed) {
	}

	/**
	 * The answer to one of several requests in a call.
	 *
	 * @param failed whether the only value is an error message
	 * @param values the values
	 */
	record Answer(boolean failed, List<?> values) {

		/** Return the values or throw the error, as for a request alone. */
		List<?> orElseThrow() {
			if (this.failed) {
				throw new RedisCommandExecutionException((String) this.values.get(0));
			}
			return this.values;
		}

	}

}
