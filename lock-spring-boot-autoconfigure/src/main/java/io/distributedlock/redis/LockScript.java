package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;

import io.distributedlock.redis.driver.RedisScript;

/**
 * A script of the store, read once.
 */
enum LockScript implements RedisScript {

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

	private final String sha = RedisScript.sha1(this.source);

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

	@Override
	public byte[] source() {
		return this.source;
	}

	@Override
	public String sha() {
		return this.sha;
	}

	@Override
	public boolean answersWithList() {
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

}
