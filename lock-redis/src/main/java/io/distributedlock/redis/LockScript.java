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
 * A script of the store, read once. It begins with the format of a lock's state; most
 * scripts for all modes share {@code shared.lua}.
 */
enum LockScript {

	/** Takes an exclusive lock that has no sorted sets. */
	LOCK("acquire", "lock.lua"),

	/** Releases an exclusive lock that has no sorted sets. */
	UNLOCK("release", "unlock.lua"),

	/** Runs {@link #LOCK} and {@link #UNLOCK} for several requests. */
	GATHER("gather", "lock.lua", "unlock.lua", "gather.lua"),

	/** Takes locks in any mode. */
	ACQUIRE("acquire", "foreign.lua", "holders.lua", "shared.lua", "acquire.lua"),

	/** Releases locks in any mode. */
	RELEASE("release", "foreign.lua", "holders.lua", "shared.lua", "release.lua"),

	/** Ends a request. */
	ABANDON("abandon", "foreign.lua", "holders.lua", "shared.lua", "abandon.lua"),

	/** Raises the tokens of the locks that a request holds. */
	RAISE("raise", "foreign.lua", "holders.lua", "shared.lua", "raise.lua"),

	/** Renews leases. */
	RENEW("renew", "foreign.lua", "holders.lua", "renew.lua"),

	/** Sets leases to a new length. */
	EXTEND("extend", "foreign.lua", "holders.lua", "shared.lua", "extend.lua"),

	/** Reads the holders of a lock. */
	INSPECT("inspect", "foreign.lua", "inspect.lua"),

	/** Takes a lock away from its holders. */
	FORCE("take away", "foreign.lua", "holders.lua", "shared.lua", "force.lua"),

	/** Sets the number of permits of a semaphore. */
	PERMITS("set the permits of", "foreign.lua", "holders.lua", "shared.lua", "permits.lua"),

	/** Stores or reads the name of an instance. */
	NAME("name", "name.lua"),

	/** Reads the clock and the eviction policy of a server. */
	HEALTH("check", "health.lua");

	/** The action, as messages name it. */
	final String operation;

	/** The files of the script, in order. */
	final List<String> files;

	final Script script;

	/**
	 * Create a script.
	 * @param operation the action, as messages name it
	 * @param files the files after {@code state.lua}
	 */
	LockScript(String operation, String... files) {
		this.operation = operation;
		this.files = Stream.concat(Stream.of("state.lua"), Stream.of(files)).toList();
		this.script = new Script(text(LockScript::read));
	}

	/** Return whether the first key is that of a lock, not one of the library's own. */
	boolean hasLock() {
		return this != NAME && this != HEALTH;
	}

	/**
	 * Read all scripts now: the first lock may be taken by a thread that must not block.
	 */
	static void readAll() {
		// The initialization of this class has read them.
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

	/**
	 * Return a file of the script. In {@link #GATHER}, {@code lock.lua} and
	 * {@code unlock.lua} are functions with their own {@code KEYS}, {@code ARGV} and
	 * {@code redis}.
	 */
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
