package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * A script of the store, read once.
 */
enum LockScript {

	/** Takes a lock. */
	ACQUIRE(true),

	/** Extends leases. */
	RENEW(true),

	/** Gives a lock back. */
	RELEASE(false),

	/** Ends a request. */
	ABANDON(false),

	/** Raises the token of what a request holds. */
	RAISE(false);

	private final String operation = name().toLowerCase(Locale.ROOT);

	private final boolean list;

	private final byte[] source = joined(sharedSource(), read(this.operation + ".lua"));

	private final String sha = sha1(this.source);

	LockScript(boolean list) {
		this.list = list;
	}

	/**
	 * Read all scripts now: the first lock may be taken by a thread that must not block.
	 */
	static void readAll() {
		// That is what the initialization of this class does.
	}

	/** What it does, for messages and as the name of its file. */
	String operation() {
		return this.operation;
	}

	byte[] source() {
		return this.source;
	}

	String sha() {
		return this.sha;
	}

	/** Whether it answers with a list, else with a number. */
	boolean answersWithList() {
		return this.list;
	}

	/** What stands in front of every script. */
	static byte[] sharedSource() {
		return read("shared.lua");
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

	static String sha1(byte[] source) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-1", ex);
		}
	}

}
