package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.redis.driver.RedisScript;

/**
 * A script of the store, read once. All know how the state of a lock is written, and only
 * those for all modes what is done with it.
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

}
