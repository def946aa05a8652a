package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.distributedlock.redis.internal.driver.Script;
import io.distributedlock.redis.internal.driver.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * A call for several commands with short scripts, each of which takes or releases one
 * exclusive lock. Each command has its own answer or failure. The call is withdrawn when
 * none of them is waited for any more.
 */
final class GatheredCall implements ScriptCall, ScriptCall.Command {

	/**
	 * Name of a key that never exists: in the key of a lock a percent sign begins an
	 * escape.
	 */
	private static final String ABSENT = "%absent";

	private final LockServer server;

	private final List<ScriptCommand<?>> commands;

	private final byte[][] keys;

	private final byte[][] args;

	private volatile @Nullable Command sent;

	private GatheredCall(LockServer server, List<ScriptCommand<?>> commands) {
		this.server = server;
		this.commands = commands;
		int count = commands.size();
		this.keys = new byte[count + 1][];
		this.args = new byte[count + 1][];
		byte[] kinds = new byte[count];
		for (int i = 0; i < count; i++) {
			ScriptCommand<?> command = commands.get(i);
			kinds[i] = (byte) ((command.kind() == LockScript.LOCK) ? 'L' : 'U');
			this.keys[i] = command.keys()[0];
			this.args[i + 1] = command.args()[0];
		}
		this.keys[count] = WireFormat.utf8(server.format.prefix + ABSENT);
		this.args[0] = kinds;
	}

	/** Create a call for commands with short scripts. */
	static GatheredCall of(LockServer server, List<ScriptCall> commands) {
		return new GatheredCall(server,
				commands.stream().<ScriptCommand<?>>map((each) -> (ScriptCommand<?>) each).toList());
	}

	@Override
	public Script script() {
		return LockScript.GATHER.script;
	}

	@Override
	public byte[][] keys() {
		return this.keys;
	}

	@Override
	public byte[][] args() {
		return this.args;
	}

	@Override
	public boolean isDone() {
		return this.commands.stream().allMatch(ScriptCommand::isDone);
	}

	@Override
	public void begin(Command command) {
		this.sent = command;
		this.commands.forEach((each) -> each.begin(this));
	}

	/** Withdraw the call if no other command is waited for. */
	@Override
	public void withdraw() {
		Command command = this.sent;
		if (command != null && isDone()) {
			command.withdraw();
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		return this.commands.stream().filter((each) -> each.cancel(mayInterruptIfRunning)).count() > 0;
	}

	@Override
	public void answered(Object answer) {
		List<?> values = (answer instanceof List<?> list) ? list : List.of();
		int at = 0;
		for (ScriptCommand<?> each : this.commands) {
			try {
				int count = WireFormat.count(values.get(at));
				int begin = at + 1;
				at = begin + Math.max(1, count);
				tell(each, count > 0, (count > 1) ? values.subList(begin, at) : values.get(begin));
			}
			catch (RuntimeException ex) {
				each.failed(ex);
			}
		}
	}

	private static void tell(ScriptCommand<?> command, boolean succeeded, Object answer) {
		if (succeeded) {
			command.answered(answer);
		}
		else {
			command.failed(new IllegalStateException(new String((byte[]) answer, StandardCharsets.UTF_8)));
		}
	}

	/** Divide the call if one command may be the cause, so that only that one fails. */
	@Override
	public void failed(Throwable failure) {
		if (!RedisFailures.isOfOneKey(failure)) {
			this.commands.forEach((each) -> each.failed(failure));
			return;
		}
		this.server.failed(failure);
		List<ScriptCommand<?>> wanted = this.commands.stream()
			.<ScriptCommand<?>>filter((each) -> !each.isDone())
			.toList();
		LockServer.divided(wanted, failure).forEach(this::sendPart);
	}

	private void sendPart(List<ScriptCommand<?>> part) {
		if (part.size() == 1) {
			part.get(0).sendAlone();
		}
		else {
			part.get(0).send(new GatheredCall(this.server, part));
		}
	}

}
