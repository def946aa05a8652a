package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A script that says in front of its answer which command it answers. With a driver that
 * takes connections from a pool, one that somebody has put back with an answer unread
 * gives everybody after that the answer of the command before: an acquisition would
 * believe that it has a lock that another one was granted.
 */
final class NumberedScript {

	private static final Map<LockScript, NumberedScript> ALL = new EnumMap<>(LockScript.class);

	static {
		for (LockScript script : LockScript.values()) {
			ALL.put(script, new NumberedScript(script));
		}
	}

	/** For the commands of all stores in this JVM, which may share a pool. */
	private static final AtomicLong NUMBERS = new AtomicLong(new SecureRandom().nextLong());

	private final byte[] source;

	private final String sha;

	private NumberedScript(LockScript script) {
		// An error stays one; the scripts do not look at arguments behind their own.
		String text = "local function answer()\n" + new String(script.source(), StandardCharsets.UTF_8) + "\nend\n"
				+ "local said = answer()\n" + "if type(said) == 'table' and said.err then\n  return said\nend\n"
				+ "return {ARGV[#ARGV], said}\n";
		this.source = text.getBytes(StandardCharsets.UTF_8);
		this.sha = LockScript.sha1(this.source);
	}

	/** Read all scripts now, see {@link LockScript#readAll()}. */
	static void readAll() {
		// That is what the initialization of this class does.
	}

	static NumberedScript of(LockScript script) {
		NumberedScript numbered = ALL.get(script);
		if (numbered == null) {
			throw new IllegalStateException("There is a numbered script for each");
		}
		return numbered;
	}

	static byte[] nextNumber() {
		return ScriptArguments.utf8(Long.toHexString(NUMBERS.incrementAndGet()));
	}

	byte[] source() {
		return this.source;
	}

	String sha() {
		return this.sha;
	}

}
