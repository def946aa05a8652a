package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.distributedlock.redis.driver.RedisScript;
import io.distributedlock.store.AcquireOutcome;

/**
 * A script of the store, read once, and what its answers mean. All know how the state of
 * a lock is written, and only those for all modes what is done with it.
 */
enum LockScript implements RedisScript {

	/** Takes a lock alone that no others share. */
	LOCK("acquire", "lock.lua"),

	/** Gives a lock back that no others share. */
	UNLOCK("release", "unlock.lua"),

	/** Takes locks in any mode. */
	ACQUIRE("acquire", "shared.lua", "acquire.lua"),

	/** Gives locks back in any mode. */
	RELEASE("release", "shared.lua", "release.lua"),

	/** Ends a request. */
	ABANDON("abandon", "shared.lua", "abandon.lua"),

	/** Raises the token of what a request holds. */
	RAISE("raise", "shared.lua", "raise.lua"),

	/** Extends leases. */
	RENEW("renew", "renew.lua");

	/** A script could not handle a lock without other keys. */
	private static final Long SENT_ON = -1L;

	/** The request has ended. */
	private static final long REFUSED = -2;

	/** Another request has the lock, or comes first. */
	private static final long BUSY = 0;

	private final String operation;

	private final List<String> files;

	private final byte[] source;

	private final String sha;

	private final byte[] digest;

	/**
	 * Create a script.
	 * @param operation what it does, for messages
	 * @param files its parts behind {@code state.lua}
	 */
	LockScript(String operation, String... files) {
		this.operation = operation;
		this.files = Stream.concat(Stream.of("state.lua"), Stream.of(files)).toList();
		this.source = this.files.stream().map(LockScript::read).reduce(LockScript::joined).orElseThrow();
		this.sha = RedisScript.sha1(this.source);
		this.digest = this.sha.getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Read all scripts now: the first lock may be taken by a thread that must not block.
	 */
	static void readAll() {
		// That is what the initialization of this class does.
	}

	/** What it does, for messages. */
	String operation() {
		return this.operation;
	}

	/** Its parts, in order. */
	List<String> files() {
		return this.files;
	}

	@Override
	public byte[] source() {
		return this.source;
	}

	@Override
	public String sha() {
		return this.sha;
	}

	@Override
	public byte[] digest() {
		return this.digest;
	}

	static byte[] read(String file) {
		try (InputStream content = LockScript.class.getResourceAsStream(file)) {
			if (content == null) {
				throw new IllegalStateException("The script " + file + " is not on the class path");
			}
			return content.readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Reading the script " + file + " failed", ex);
		}
	}

	private static byte[] joined(byte[] first, byte[] second) {
		byte[] both = Arrays.copyOf(first, first.length + second.length);
		System.arraycopy(second, 0, both, first.length, second.length);
		return both;
	}

	/** Whether a script could not handle a lock without other keys. */
	static boolean isSentOn(Object answer) {
		return (answer instanceof List<?> values) ? values.contains(SENT_ON) : answer.equals(SENT_ON);
	}

	static AcquireOutcome acquireOutcome(Object answer, int permits, IntFunction<String> redisKeys) {
		if (alone(answer) instanceof Number number) {
			return (number.longValue() == REFUSED) ? AcquireOutcome.Refused.INSTANCE
					: new AcquireOutcome.Granted(number.longValue());
		}
		List<?> values = (List<?>) answer;
		if (number(values.get(0)) == BUSY) {
			return new AcquireOutcome.Busy(HexFormat.of().formatHex((byte[]) values.get(2)),
					Duration.ofMillis(number(values.get(1))), (int) number(values.get(3)));
		}
		throw RedisFailures.otherKind(redisKeys.apply((int) number(values.get(2))), permits, number(values.get(1)));
	}

	/** Whether it is what an acquisition answers that has the lock: its token. */
	static boolean isGrant(Object answer) {
		return alone(answer) instanceof Number token && token.longValue() > 0;
	}

	static List<Boolean> flags(Object answer, int count) {
		List<?> values = (List<?>) answer;
		if (values.size() != count) {
			throw new IllegalStateException(values.size() + " answers to " + count + " keys");
		}
		List<Boolean> flags = new ArrayList<>(values.size());
		for (Object value : values) {
			flags.add(flag(value));
		}
		return flags;
	}

	static Boolean flag(Object answer) {
		return number(alone(answer)) == 1;
	}

	/** Lettuce makes a list of a number that is the whole answer. */
	private static Object alone(Object answer) {
		return (answer instanceof List<?> values && values.size() == 1) ? values.get(0) : answer;
	}

	@SuppressWarnings("NullAway")
	static Void nothing(Object answer) {
		return null;
	}

	private static long number(Object value) {
		return ((Number) value).longValue();
	}

}
