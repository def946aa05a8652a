package io.distributedlock.engine.simulation;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.redis.WireCommand;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The real scripts on a real server at a time that the test names: their text is
 * unchanged, but their view of the server's clock, of the expiry of keys and of messages
 * is kept in keys of its own.
 */
final class SimulationRedis implements SimulationScripts {

	private static final String CHANNELS = "lock:!wake:";

	/** The time in seconds and microseconds are the last two arguments. */
	private static final String VIRTUAL_CLOCK = """
			local server, seconds, micros = redis, ARGV[#ARGV - 1], ARGV[#ARGV]
			local today = tonumber(seconds) * 1000 + math.floor(tonumber(micros) / 1000)
			local redis = {error_reply = server.error_reply}
			function redis.call(name, key, value, ...)
			  if name == 'TIME' then
			    return {seconds, micros}
			  elseif name == 'PTTL' then
			    local expiry = server.call('GET', 'expiry:' .. key)
			    return expiry and tonumber(expiry) - today or -2
			  elseif name == 'PEXPIRE' then
			    local present = server.call('EXISTS', key) == 1
			    return present and server.call('SET', 'expiry:' .. key, string.format('%.0f', today + tonumber(value)))
			  elseif name == 'RENAME' then
			    server.call('DEL', 'expiry:' .. key)
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

	private final RedisCommands<byte[], byte[]> redis;

	private final Map<String, String> digests = new HashMap<>();

	SimulationRedis(RedisCommands<byte[], byte[]> redis) {
		this.redis = redis;
		WireCommand.sources().forEach((source) -> this.digests.put(source, redis.scriptLoad(VIRTUAL_CLOCK + source)));
	}

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		return WireCommand.outcome(command, run(micros, WireCommand.acquire(RETENTION, command)));
	}

	@Override
	public List<Ownership> renew(long micros, List<RenewCommand> commands) {
		return WireCommand.ownerships(run(micros, WireCommand.renew(RETENTION, commands)), commands.size());
	}

	@Override
	public Ownership extend(long micros, ExtendCommand command) {
		return WireCommand.ownership(run(micros, WireCommand.extend(RETENTION, command)));
	}

	@Override
	public Ownership release(long micros, ReleaseCommand command) {
		return WireCommand.ownership(run(micros, WireCommand.release(RETENTION, command)));
	}

	@Override
	public boolean abandon(long micros, AbandonCommand command) {
		return WireCommand.flag(run(micros, WireCommand.abandon(RETENTION, command)));
	}

	@Override
	public boolean raise(long micros, RaiseCommand command) {
		return WireCommand.flag(run(micros, WireCommand.raise(RETENTION, command)));
	}

	@Override
	public boolean setPermits(long micros, LockKey key, int permits) {
		return WireCommand.flag(run(micros, WireCommand.setPermits(RETENTION, key, permits)));
	}

	private Object run(long micros, WireCommand command) {
		byte[][] args = Arrays.copyOf(command.args(), command.args().length + 2);
		args[args.length - 2] = utf8(Long.toString(micros / 1_000_000));
		args[args.length - 1] = utf8(Long.toString(micros % 1_000_000));
		Object answer = this.redis.evalsha(this.digests.get(command.source()), ScriptOutputType.MULTI, command.keys(),
				args);
		WireCommand next = command.next(answer);
		return (next != null) ? run(micros, next) : answer;
	}

	@Override
	public void remove(LockKey key) {
		// The entries left in the sorted sets are void.
		byte[] hash = WireCommand.keysOf(key)[0];
		this.redis.del(hash, utf8("expiry:" + text(hash)));
	}

	@Override
	public List<WakeUp> takeWakeUps() {
		List<byte[]> messages = this.redis.lrange(utf8("messages"), 0, -1);
		if (messages.isEmpty()) {
			return List.of();
		}
		this.redis.del(utf8("messages"));
		return messages.stream()
			.map((message) -> wakeUp(text(message).substring(CHANNELS.length()).split("[ \n]")))
			.toList();
	}

	private static WakeUp wakeUp(String[] parts) {
		return new WakeUp(new LockKey("", parts[1].substring(1)), parts[0],
				(parts.length > 2) ? RequestId.parse(parts[2]) : null,
				(parts.length > 3) ? token(Long.parseLong(parts[3])) : 0);
	}

	private static long token(long sent) {
		return (sent != 0) ? sent : WakeUp.REVOKED;
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
