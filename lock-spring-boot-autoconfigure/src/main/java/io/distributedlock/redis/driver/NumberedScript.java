package io.distributedlock.redis.driver;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A script that says in front of its answer which command it answers. With a driver that
 * takes connections from a pool, a connection that was put back with an answer unread
 * gives each later command the answer of the one before: an acquisition would believe
 * that it has a lock that another one was granted.
 */
public final class NumberedScript {

	private static final Map<String, NumberedScript> ALL = new ConcurrentHashMap<>();

	/** For the commands of all stores in this JVM, which may share a pool. */
	private static final AtomicLong NUMBERS = new AtomicLong(new SecureRandom().nextLong());

	private final byte[] source;

	private final String sha;

	private NumberedScript(byte[] script) {
		// An error stays one; the scripts do not look at arguments behind their own.
		String text = "local function answer()\n" + new String(script, StandardCharsets.UTF_8) + "\nend\n"
				+ "local said = answer()\n" + "if type(said) == 'table' and said.err then\n  return said\nend\n"
				+ "return {ARGV[#ARGV], said}\n";
		this.source = text.getBytes(StandardCharsets.UTF_8);
		this.sha = sha1(this.source);
	}

	/**
	 * The same script for the same one, which is one of a few.
	 * @param sha the digest of the script without its number
	 * @param source its text
	 */
	public static NumberedScript of(String sha, byte[] source) {
		return ALL.computeIfAbsent(sha, (missing) -> new NumberedScript(source));
	}

	/**
	 * The digest of a script, as servers compute it.
	 * @param source the text
	 * @return hexadecimal digits
	 */
	public static String sha1(byte[] source) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-1", ex);
		}
	}

	static byte[] nextNumber() {
		byte[] number = new byte[Long.BYTES];
		ByteBuffer.wrap(number).putLong(NUMBERS.incrementAndGet());
		return number;
	}

	/**
	 * Take the number off an answer.
	 * @param answer what was read
	 * @param number the number of the command
	 * @return what the script said
	 * @throws ClassCastException if it is the answer of another command
	 */
	static Object said(@Nullable Object answer, byte[] number) {
		if (answer instanceof List<?> values && values.size() == 2 && values.get(0) instanceof byte[] its
				&& Arrays.equals(its, number) && values.get(1) != null) {
			return values.get(1);
		}
		throw new ClassCastException("Not the answer of this command: it bears no number or another one");
	}

	byte[] source() {
		return this.source;
	}

	/** The digest of the script with its number. */
	public String sha() {
		return this.sha;
	}

}
