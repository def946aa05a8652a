package io.distributedlock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.Documents;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The view that a test has of a lock in Redis, by the script of the documentation that
 * shows it, and the changes that a test makes to it.
 */
public final class LockOnTheWire {

	private static final String SHOW = read();

	/** The rest of the script for one that sets a value in the place of its name. */
	private static final String SET = """
			local names = {'version', 'status', 'shared', 'contender', 'number', 'deadline', 'lease', 'token', 'mark', 'kept',
			  'keptFor', 'sweepAt', 'permits'}
			local format = '>BBBc10I6I6I6I7c4I6I6I6I4'
			local none = '\\5' .. string.rep('\\0', 63)
			local values = {struct.unpack(format, redis.call('HGET', KEYS[1], 'state') or none)}
			for i, name in ipairs(names) do
			  if name == ARGV[1] or name == 'permits' and ARGV[1] == 'delay' then
			    values[i] = tonumber(ARGV[2])
			  end
			end
			redis.call('HSET', KEYS[1], 'state', struct.pack(format, unpack(values, 1, #names)))
			""";

	private final RedisCommands<String, String> redis;

	public LockOnTheWire(RedisCommands<String, String> redis) {
		this.redis = redis;
	}

	private static String read() {
		try {
			return Files.readString(Documents.file("show-lock.lua"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Where a sorted set of a lock is that has no hash tag. */
	static String set(String set, String key) {
		return "lock:%" + set + ":{" + key + '}';
	}

	/** All lines. */
	public List<String> show(String key) {
		return this.redis.eval(SHOW, ScriptOutputType.MULTI, new String[] { key }, "lock:");
	}

	/** The lines with a name, without it. */
	public List<String> lines(String key, String name) {
		return named(show(key), name).toList();
	}

	private static Stream<String> named(List<String> shown, String name) {
		return shown.stream()
			.filter((line) -> line.startsWith(name + ' '))
			.map((line) -> line.substring(name.length() + 1));
	}

	/** A value of the state, or nothing. */
	public String get(String key, String name) {
		return lines(key, name).stream().findFirst().orElse(null);
	}

	/** The request that has the lock alone, or nothing. */
	public String owner(String key) {
		return "held".equals(get(key, "status")) ? get(key, "owner") : null;
	}

	/** Set a number of the state. */
	public void set(String key, String name, long value) {
		this.redis.eval(SET, ScriptOutputType.STATUS, new String[] { key }, name, Long.toString(value));
	}

	/** The values of the contender of a request that does not have the lock alone. */
	List<String> last(String key, String request) {
		return last(show(key), request);
	}

	private static List<String> last(List<String> shown, String request) {
		return named(shown, "last").filter((line) -> line.startsWith(request.substring(0, 20)))
			.findFirst()
			.map((line) -> Arrays.asList(line.split(" ")))
			.orElse(null);
	}

	/**
	 * How a request ended or goes on, or nothing if another one of its contender does.
	 */
	public String status(String key, String request) {
		List<String> shown = show(key);
		if (named(shown, "owner").anyMatch(request::equals)) {
			return named(shown, "status").findFirst().orElse(null);
		}
		List<String> last = last(shown, request);
		return (last != null && last.get(0).equals(request)) ? last.get(1) : null;
	}

}
