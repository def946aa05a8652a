package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.IntStream;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Tries whether a script sees all of its keys. A proxy may spread keys over servers that
 * do not know of each other and send a script to the server of its first key: nothing is
 * refused then, and the other keys of the script are not those of their locks. Blocks.
 */
final class ScatteredKeys {

	/** Two servers of the same size are taken for one once in 128 times. */
	private static final int KEYS = 8;

	private static final byte[] SCRIPT = LockScript.read("scattered.lua");

	private ScatteredKeys() {
	}

	static boolean found(RedisConnectionFactory factory, RedisStoreSettings settings) {
		try (RedisConnection connection = factory.getConnection()) {
			RedisScriptingCommands commands = connection.scriptingCommands();
			// What a fail-over forgets between two commands is not forgotten twice.
			return !seesAll(commands, settings.keyPrefix()) && !seesAll(commands, settings.keyPrefix());
		}
	}

	/** Leaves nothing behind but marks that are not seen, for a minute. */
	private static boolean seesAll(RedisScriptingCommands commands, String keyPrefix) {
		String prefix = keyPrefix + "%scattered" + UUID.randomUUID() + '-';
		byte[][] keys = IntStream.range(0, KEYS)
			.mapToObj((i) -> (prefix + i).getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		for (byte[] key : keys) {
			commands.eval(SCRIPT, ReturnType.INTEGER, 1, key);
		}
		Long marked = commands.eval(SCRIPT, ReturnType.INTEGER, keys.length, keys);
		return marked != null && marked == keys.length;
	}

}
