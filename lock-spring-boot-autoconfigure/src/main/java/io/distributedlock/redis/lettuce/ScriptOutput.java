package io.distributedlock.redis.lettuce;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.redis.driver.ScriptCall;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a script of the store: a number, or a list of numbers and bytes. Takes a
 * quarter of the memory of the general output of Lettuce.
 */
final class ScriptOutput extends CommandOutput<byte[], byte[], Object> {

	private @Nullable List<Object> list;

	@SuppressWarnings("NullAway")
	private ScriptOutput() {
		super(ByteArrayCodec.INSTANCE, null);
	}

	/** The command that runs a script, by its source or by its digest. */
	static Command<byte[], byte[], Object> command(ScriptCall call, boolean bySource) {
		CommandArgs<byte[], byte[]> all = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(bySource ? call.script().source() : call.script().digest())
			.add(call.keys().length)
			.addKeys(call.keys())
			.addValues(call.args());
		return new Command<>(bySource ? CommandType.EVAL : CommandType.EVALSHA, new ScriptOutput(), all);
	}

	@Override
	public void multi(int count) {
		this.list = new ArrayList<>(Math.max(1, count));
		this.output = this.list;
	}

	@Override
	public void set(long value) {
		take(value);
	}

	@Override
	public void set(ByteBuffer bytes) {
		take((bytes != null) ? this.codec.decodeValue(bytes) : null);
	}

	@SuppressWarnings("NullAway")
	private void take(@Nullable Object value) {
		if (this.list != null) {
			this.list.add(value);
		}
		else {
			this.output = value;
		}
	}

}
