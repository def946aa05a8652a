package io.distributedlock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock in Redis, by the script of the documentation that shows it.
 *
 * @param lines each a name and values
 */
public record ShownLock(List<String> lines) {

	private static final String SCRIPT = read();

	private static String read() {
		try {
			return Files.readString(Path.of("..", "..", "docs", "show-lock.lua"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Look at a lock.
	 * @param redis the server
	 * @param key the key in Redis
	 * @return the lock as the script shows it
	 */
	public static ShownLock of(RedisCommands<String, String> redis, String key) {
		return new ShownLock(redis.eval(SCRIPT, ScriptOutputType.MULTI, new String[] { key }));
	}

	/** The lines with a name, without it. */
	public List<String> all(String name) {
		return this.lines.stream()
			.filter((line) -> line.startsWith(name + ' '))
			.map((line) -> line.substring(name.length() + 1))
			.toList();
	}

	/** The only value with a name, or nothing. */
	public @Nullable String get(String name) {
		return all(name).stream().findFirst().orElse(null);
	}

	/** Return whether a request holds it at a time, alone or with others. */
	public boolean isHeld(long millis) {
		boolean alone = "held".equals(get("status")) && Long.parseLong(String.valueOf(get("deadline"))) > millis;
		return alone || all("holders").stream()
			.anyMatch((holder) -> Long.parseLong(holder.substring(holder.indexOf(' ') + 1)) > millis);
	}

}
