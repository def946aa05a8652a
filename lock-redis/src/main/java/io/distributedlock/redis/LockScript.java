package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.redis.internal.driver.Script;

/**
 * A script of the store, read once. All know how the state of a lock is written, and only
 * those for all modes what is done with it.
 */
enum LockScript {

	/** Takes a lock alone that no others share. */
	LOCK("acquire", "lock.lua"),

	/** Releases a lock that no others share. */
	UNLOCK("release", "unlock.lua"),

	/** Does what the two above do, for several requests. */
	GATHER("gather", "lock.lua", "unlock.lua", "gather.lua"),

	/** Takes locks in any mode. */
	ACQUIRE("acquire", "foreign.lua", "shared.lua", "acquire.lua"),

	/** Releases locks in any mode. */
	RELEASE("release", "foreign.lua", "shared.lua", "release.lua"),

	/** Ends a request. */
	ABANDON("abandon", "foreign.lua", "shared.lua", "abandon.lua"),

	/** Raises the token of what a request holds. */
	RAISE("raise", "foreign.lua", "shared.lua", "raise.lua"),

	/** Renews leases. */
	RENEW("renew", "foreign.lua", "renew.lua"),

	/** Sets leases anew. */
	EXTEND("extend", "foreign.lua", "shared.lua", "extend.lua"),

	/** Looks who has a lock. */
	INSPECT("inspect", "foreign.lua", "inspect.lua"),

	/** Takes a lock away. */
	FORCE("take away", "foreign.lua", "shared.lua", "force.lua"),

	/** Notes what an instance calls itself, or looks that up. */
	NAME("name", "name.lua"),

	/** Says how a server does. */
	HEALTH("check", "health.lua");

	/** What it does, for messages. */
	final String operation;

	/** Its parts, in order. */
	final List<String> files;

	final Script script;

	/**
	 * Create a script.
	 * @param operation what it does, for messages
	 * @param files its parts behind {@code state.lua}
	 */
	LockScript(String operation, String... files) {
		this.operation = operation;
		this.files = Stream.concat(Stream.of("state.lua"), Stream.of(files)).toList();
		this.script = new Script(text(LockScript::read));
	}

	/** Whether its first key is that of a lock, and not one of the library's own. */
	boolean hasLock() {
		return this != NAME && this != HEALTH;
	}

	/**
	 * Read all scripts now: the first lock may be taken by a thread that must not block.
	 */
	static void readAll() {
		// That is what the initialization of this class does.
	}

	/**
	 * The text of the script.
	 * @param reader gives the content of a file
	 */
	byte[] text(Function<String, byte[]> reader) {
		return this.files.stream()
			.map((file) -> part(file, reader.apply(file)))
			.reduce(LockScript::joined)
			.orElseThrow();
	}

	/** A script within another one is a function, which is given what it has alone. */
	private byte[] part(String file, byte[] content) {
		boolean isFunction = this.files.contains("gather.lua") && List.of("lock.lua", "unlock.lua").contains(file);
		return isFunction ? joined(
				joined(bytes("local function %s(KEYS, ARGV, redis)\n".formatted(file.split("\\.")[0])), content),
				bytes("end\n")) : content;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
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
