package io.distributedlock.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.state.Approach;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The real scripts on a real server at a time that the test names: their text is
 * unchanged, but what they see of the server's clock, of the expiry of keys and of
 * messages is kept in keys of its own.
 */
final class SimulationRedis implements SimulationScripts {

	private static final String CHANNELS = "lock:!wake:";

	/** The time in seconds and microseconds are the last two arguments. */
	private static final String VIRTUAL_CLOCK = """
			local server, seconds, micros = redis, ARGV[#ARGV - 1], ARGV[#ARGV]
			local today = tonumber(seconds) * 1000 + math.floor(tonumber(micros) / 1000)
			local redis = {}
			function redis.call(name, key, value, ...)
			  if name == 'TIME' then
			    return {seconds, micros}
			  elseif name == 'PTTL' then
			    local expiry = server.call('GET', 'expiry:' .. key)
			    return expiry and tonumber(expiry) - today or -2
			  elseif name == 'PEXPIRE' then
			    local present = server.call('EXISTS', key) == 1
			    return present and server.call('SET', 'expiry:' .. key, string.format('%.0f', today + tonumber(value)))
			  end
			  if value == nil then
			    return server.call(name, key)
			  end
			  return server.call(name, key, value, ...)
			end
			function redis.pcall(name, ...)
			  if name == 'PUBLISH' then
			    return server.call('RPUSH', 'messages', table.concat({...}, ' '))
			  end
			  return server.pcall(name, ...)
			end
			for _, key in ipairs(KEYS) do
			  local expiry = server.call('GET', 'expiry:' .. key)
			  if expiry and tonumber(expiry) < today then
			    server.call('DEL', key, 'expiry:' .. key)
			  end
			end
			""";

	private final RedisCommands<String, String> redis;

	private final String acquire;

	private final String renew;

	private final String release;

	private final String abandon;

	private final String raise;

	SimulationRedis(RedisCommands<String, String> redis) {
		this.redis = redis;
		this.acquire = load("acquire");
		this.renew = load("renew");
		this.release = load("release");
		this.abandon = load("abandon");
		this.raise = load("raise");
	}

	private String load(String script) {
		return this.redis.scriptLoad(VIRTUAL_CLOCK + read("shared") + read(script));
	}

	private static String read(String script) {
		try (InputStream source = LockStore.class.getResourceAsStream("/io/distributedlock/redis/" + script + ".lua")) {
			return new String(source.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command, Approach approach) {
		List<Object> answer = run(micros, this.acquire, ScriptOutputType.MULTI, command.keys(),
				command.request().toString(), millis(command.ttl()), millis(command.keepFor()),
				Long.toString(command.highestToken()), millis(command.waiting()), Long.toString(RETENTION.toMillis()),
				letter(command.mode()), Integer.toString(command.permits()),
				(command.beside() != null) ? command.beside().toString() : "", CHANNELS,
				Integer.toString(name(new LockKey("", "a")).length() - ":a".length()), letter(approach), "", "");
		return switch (((Long) answer.get(0)).intValue()) {
			case 0 -> new AcquireOutcome.Busy((String) answer.get(2), Duration.ofMillis((Long) answer.get(1)),
					((Long) answer.get(3)).intValue());
			case 1 -> new AcquireOutcome.Granted((Long) answer.get(1));
			case 2 -> AcquireOutcome.Refused.INSTANCE;
			default -> throw new LockStoreException(LockStoreException.Kind.MISCONFIGURED, "of another kind", null);
		};
	}

	private static String letter(LockMode mode) {
		return switch (mode) {
			case FAIR -> "F";
			case READ -> "R";
			case SEMAPHORE -> "S";
			default -> "X";
		};
	}

	private static String letter(Approach approach) {
		return switch (approach) {
			case IN_TURN -> "";
			case CLAIM -> "C";
			case CLAIM_AGAIN -> "A";
			case STAND_IN_LINE -> "Q";
		};
	}

	@Override
	public List<Boolean> renew(long micros, List<RenewCommand> commands) {
		List<String> args = new ArrayList<>(List.of(Long.toString(RETENTION.toMillis())));
		for (RenewCommand command : commands) {
			args.add(command.request().toString());
			args.add(millis(command.ttl()));
			args.add(command.marks().text());
		}
		List<Long> answer = run(micros, this.renew, ScriptOutputType.MULTI,
				commands.stream().map(RenewCommand::key).toList(), args.toArray(String[]::new));
		return answer.stream().map((flag) -> flag == 1).toList();
	}

	@Override
	public boolean release(long micros, List<LockKey> keys, RequestId request, RenewalMarks marks) {
		return end(micros, this.release, keys, request, "0", "", marks.text());
	}

	@Override
	public boolean abandon(long micros, List<LockKey> keys, RequestId request, RequestId successor, Duration waiting) {
		return end(micros, this.abandon, keys, request, millis(waiting), "",
				(successor != null) ? successor.toString() : "");
	}

	@Override
	public boolean raise(long micros, List<LockKey> keys, RequestId request, long token) {
		Long answer = run(micros, this.raise, ScriptOutputType.INTEGER, keys, request.toString(), Long.toString(token));
		return answer == 1;
	}

	private boolean end(long micros, String script, List<LockKey> keys, RequestId request, String... more) {
		List<String> args = new ArrayList<>(List.of(request.toString(), Long.toString(RETENTION.toMillis()), CHANNELS));
		keys.forEach((key) -> args.add(key.encoded()));
		args.addAll(List.of(more));
		Long answer = run(micros, script, ScriptOutputType.INTEGER, keys, args.toArray(String[]::new));
		return answer == 1;
	}

	private <T> T run(long micros, String script, ScriptOutputType type, List<LockKey> keys, String... args) {
		List<String> all = new ArrayList<>(List.of(args));
		all.add(Long.toString(micros / 1_000_000));
		all.add(Long.toString(micros % 1_000_000));
		String[] names = keys.stream().map(SimulationRedis::name).toArray(String[]::new);
		return this.redis.evalsha(script, type, names, all.toArray(String[]::new));
	}

	@Override
	public void remove(LockKey key) {
		this.redis.del(name(key), "expiry:" + name(key));
	}

	@Override
	public List<WakeUp> takeWakeUps() {
		List<String> messages = this.redis.lrange("messages", 0, -1);
		if (messages.isEmpty()) {
			return List.of();
		}
		this.redis.del("messages");
		return messages.stream().map((message) -> wakeUp(message.substring(CHANNELS.length()).split("[ \n]"))).toList();
	}

	private static WakeUp wakeUp(String[] parts) {
		return new WakeUp(new LockKey("", parts[1].substring(1)), parts[0],
				(parts.length > 2) ? request(parts[2]) : null);
	}

	private static RequestId request(String text) {
		return new RequestId(Long.parseUnsignedLong(text.substring(0, 16), 16),
				Long.parseUnsignedLong(text.substring(16), 16));
	}

	private static String name(LockKey key) {
		return "lock:" + key.encoded();
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
