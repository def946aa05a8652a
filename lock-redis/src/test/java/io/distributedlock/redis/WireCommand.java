package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;

/**
 * A command as the store sends it, for tests that send it by themselves: always to the
 * short script first where there is one.
 */
public final class WireCommand {

	private static final RedisStoreSettings SETTINGS = RedisStoreSettings.DEFAULTS;

	private final ScriptCommand<?> command;

	private WireCommand(ScriptCommand<?> command) {
		this.command = command;
	}

	/** The texts of all scripts. */
	public static Stream<String> sources() {
		return Stream.of(LockScript.values()).map(WireCommand::text);
	}

	private static String text(LockScript script) {
		return new String(script.script.source, StandardCharsets.UTF_8);
	}

	private static LockServer server(Duration retention) {
		return server(new RedisStoreSettings(SETTINGS.keyPrefix(), retention, SETTINGS.commandTimeout(), true));
	}

	/** A server that does not exist. */
	static LockServer server(RedisStoreSettings settings) {
		return new LockServer(new WireFormat(settings), RedisSetup.ofApplication(settings, false), null, true);
	}

	public static WireCommand acquire(Duration retention, AcquireCommand command) {
		return new WireCommand(ScriptCommand.acquire(server(retention), command, true, WireCommand::outcome));
	}

	public static WireCommand renew(Duration retention, List<RenewCommand> commands) {
		return new WireCommand(ScriptCommand.renew(server(retention), commands));
	}

	public static WireCommand extend(Duration retention, ExtendCommand command) {
		return new WireCommand(ScriptCommand.extend(server(retention), command));
	}

	public static WireCommand release(Duration retention, ReleaseCommand command) {
		return new WireCommand(ScriptCommand.release(server(retention), command));
	}

	public static WireCommand abandon(Duration retention, AbandonCommand command) {
		return new WireCommand(ScriptCommand.abandon(server(retention), command));
	}

	public static WireCommand raise(Duration retention, RaiseCommand command) {
		return new WireCommand(ScriptCommand.raise(server(retention), command));
	}

	public static WireCommand setPermits(Duration retention, LockKey key, int permits) {
		return new WireCommand(ScriptCommand.setPermits(server(retention), key, permits));
	}

	/** All keys in which something of a lock may be. */
	public static byte[][] keysOf(LockKey key) {
		return new WireFormat(SETTINGS).keys(List.of(key), true);
	}

	public String source() {
		return text(this.command.kind());
	}

	public byte[][] keys() {
		return this.command.call().keys;
	}

	public byte[][] args() {
		return this.command.call().args;
	}

	/**
	 * Return the command to send next, or {@code null} if the answer is the final one.
	 */
	public WireCommand next(Object answer) {
		return this.command.isFollowed(answer) ? this : null;
	}

	public static AcquireOutcome outcome(AcquireCommand command, Object answer) {
		return new WireFormat(SETTINGS).outcome(command, answer);
	}

	public static boolean flag(Object answer) {
		return WireFormat.flag(answer);
	}

	public static Ownership ownership(Object answer) {
		return WireFormat.ownership(answer);
	}

	public static List<Ownership> ownerships(Object answer, int count) {
		return WireFormat.ownerships(answer, count);
	}

}
