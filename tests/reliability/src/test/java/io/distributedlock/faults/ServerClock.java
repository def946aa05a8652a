package io.distributedlock.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.distributedlock.redis.RedisLockStore;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The wall clock of a Redis server as the locks see it, which can be set while it runs.
 * The server's own clock cannot be moved without moving the machine's, so both things
 * that depend on it are emulated: scripts of ours, in processes that are started with
 * {@link #jvmOptions()}, add a shift to the answer of {@code TIME}, and a step moves the
 * end of every key by as much, as a real one does; keys whose end it passes are gone.
 * Both happen at one moment. Not emulated: the time that other commands tell, and steps
 * while the server is down.
 * <p>
 * The shift is a key. While a server that has lost its data does not know it, the scripts
 * answer as if it were still loading, until {@link #restore()}.
 */
public final class ServerClock implements AutoCloseable {

	private static final String KEY = "!clock";

	private static final List<String> SCRIPTS = List.of("lock.lua", "unlock.lua", "shared.lua", "renew.lua");

	private static final String TIME = "redis.call('TIME')";

	private static final String PREAMBLE = """
			local shift = redis.call('GET', '%s')
			if not shift then
			  return redis.error_reply('LOADING The clock was lost with the data')
			end
			local function shiftedTime()
			  local time = redis.call('TIME')
			  local micros = tonumber(time[1]) * 1000000 + tonumber(time[2]) + tonumber(shift) * 1000
			  return {string.format('%%.0f', math.floor(micros / 1000000)), string.format('%%.0f', micros %% 1000000)}
			end
			""".formatted(KEY);

	private static final String STEP = """
			local step = tonumber(ARGV[1])
			for _, key in ipairs(redis.call('KEYS', '*')) do
			  local life = redis.call('PTTL', key)
			  if life >= 0 and life <= step then
			    redis.call('DEL', key)
			  elseif life >= 0 then
			    redis.call('PEXPIRE', key, string.format('%.0f', life - step))
			  end
			end
			redis.call('SET', KEYS[1], ARGV[2])
			return 1
			""";

	private final RedisCommands<String, String> server;

	private final Path directory;

	private final ClockSteps steps = new ClockSteps();

	private Duration shift = Duration.ZERO;

	/**
	 * Take over the clock of a server.
	 * @param server a connection, not closed with the clock
	 */
	public ServerClock(RedisCommands<String, String> server) {
		this.server = server;
		try {
			this.directory = Files.createTempDirectory("server-clock");
			Path scripts = Files.createDirectories(scripts());
			for (String script : SCRIPTS) {
				Files.writeString(scripts.resolve(script), shifted(script));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		restore();
	}

	private Path scripts() {
		return this.directory.resolve(RedisLockStore.class.getPackageName().replace('.', '/'));
	}

	private static String shifted(String script) throws IOException {
		try (InputStream content = RedisLockStore.class.getResourceAsStream(script)) {
			String source = new String(Objects.requireNonNull(content).readAllBytes(), StandardCharsets.UTF_8);
			if (!source.contains(TIME)) {
				throw new IllegalStateException(script + " asks for the time in another way");
			}
			return PREAMBLE + source.replace(TIME, "shiftedTime()");
		}
	}

	/**
	 * Return the options with which a process has to start to see this clock.
	 * @return options of the JVM that put the changed scripts in front of the class path
	 */
	public List<String> jvmOptions() {
		return List.of("-Xbootclasspath/a:" + this.directory);
	}

	/**
	 * Set the clock forward or back.
	 * @param step how far
	 */
	public synchronized void step(Duration step) {
		Duration next = this.shift.plus(step);
		this.server.eval(STEP, ScriptOutputType.INTEGER, new String[] { KEY }, millis(step), millis(next));
		this.shift = next;
		this.steps.add(step, System.nanoTime());
	}

	/** Tell a server the time that has lost its data. */
	public synchronized void restore() {
		this.server.set(KEY, millis(this.shift));
	}

	/**
	 * How far the clock is from the real one.
	 * @return positive where it is ahead
	 */
	public synchronized Duration shift() {
		return this.shift;
	}

	/**
	 * How long a key can live that was not used since the clock was set.
	 * @param used the longest time that a key is given
	 * @param rested the longest that a key has when it has been at rest for a while
	 * @return no less than the latter
	 */
	public Duration longestLife(Duration used, Duration rested) {
		return this.steps.longestLife(used, rested, System.nanoTime());
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	@Override
	public void close() {
		try {
			for (String script : SCRIPTS) {
				Files.deleteIfExists(scripts().resolve(script));
			}
			for (Path each = scripts(); !each.equals(this.directory.getParent()); each = each.getParent()) {
				Files.deleteIfExists(each);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
