package io.distributedlock.redis.internal.lettuce;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A script as a command of Lettuce, into which Lettuce reads the answer: a number, or a
 * list of numbers and bytes. It completes the call itself, without a future of its own.
 * It writes its arguments by itself: Lettuce's would take an object for each of them, and
 * a text for each length.
 */
final class LettuceCall extends CommandOutput<byte[], byte[], Object>
		implements RedisCommand<byte[], byte[], Object>, BiConsumer<Object, Throwable>, Runnable {

	private static final byte[] END_OF_LINE = bytes("\r\n");

	/** The texts of most lengths and counts. */
	private static final byte[][] COMMON = IntStream.range(0, 512)
		.mapToObj((number) -> bytes(Integer.toString(number)))
		.toArray(byte[][]::new);

	private static final String NOT_CONNECTED = "Currently not connected";

	private static final String CLOSED = "Connection is closed";

	private final LettuceScriptRunner runner;

	private final StatefulConnection<byte[], byte[]> connection;

	private final ScriptCall call;

	/** {@code true} if the gatherer waits for its end. */
	private final boolean counted;

	private final boolean bySource;

	/** The digest of the script or, for {@code EVAL}, its source. */
	private final byte[] script;

	private final boolean reconnected;

	/** This command for Lettuce, which may end it several times at once. */
	private final CommandWrapper<byte[], byte[], Object> command;

	/** The command that Lettuce sends: in a cluster one around this. */
	private volatile @Nullable RedisCommand<byte[], byte[], Object> dispatched;

	private volatile boolean done;

	private volatile boolean cancelled;

	/** The thread that sends the command, while it does. */
	private @Nullable Thread sender;

	/** The rest to do after sending, if the command has ended while it was sent. */
	private @Nullable Runnable end;

	/** The last list of an answer. After half a list, a number may follow. */
	private List<@Nullable Object> list = List.of();

	/**
	 * Create a command.
	 * @param counted {@code true} if the gatherer waits for its end
	 * @param bySource {@code true} if the server does not know the digest
	 * @param reconnected {@code true} if another connection was closed for good before
	 */
	@SuppressWarnings("NullAway")
	LettuceCall(LettuceScriptRunner runner, StatefulConnection<byte[], byte[]> connection, ScriptCall call,
			boolean counted, boolean bySource, boolean reconnected) {
		super(ByteArrayCodec.INSTANCE, null);
		this.runner = runner;
		this.connection = connection;
		this.call = call;
		this.counted = counted;
		this.bySource = bySource;
		this.script = bySource ? call.script.source : call.script.digest;
		this.reconnected = reconnected;
		this.command = new CommandWrapper<>(this);
		this.command.onComplete(this);
	}

	void send() {
		this.call.begin(this);
		if (this.command.isDone()) {
			return;
		}
		this.sender = Thread.currentThread();
		try {
			this.dispatched = this.connection.dispatch(this.command);
			if (this.cancelled) {
				withdrawDispatched();
			}
		}
		catch (RuntimeException ex) {
			// The client behind the connection was shut down, so nothing was sent.
			this.command.completeExceptionally(new RedisException(CLOSED, ex));
		}
		finally {
			this.sender = null;
		}
		if (this.end != null) {
			this.end.run();
		}
	}

	@Override
	public ProtocolKeyword getType() {
		return this.bySource ? CommandType.EVAL : CommandType.EVALSHA;
	}

	@Override
	public void encode(ByteBuf buffer) {
		byte[][] keys = this.call.keys;
		byte[][] args = this.call.args;
		if (keys.length == 1 && args.length == 1 && !this.bySource) {
			buffer.writeBytes(this.call.script.usual);
			write(buffer, keys[0]);
			write(buffer, args[0]);
			return;
		}
		buffer.writeByte('*').writeBytes(text(3 + keys.length + args.length)).writeBytes(END_OF_LINE);
		write(buffer, getType().getBytes());
		write(buffer, this.script);
		write(buffer, text(keys.length));
		for (byte[] key : keys) {
			write(buffer, key);
		}
		for (byte[] arg : args) {
			write(buffer, arg);
		}
	}

	private static void write(ByteBuf buffer, byte[] value) {
		buffer.writeByte('$')
			.writeBytes(text(value.length))
			.writeBytes(END_OF_LINE)
			.writeBytes(value)
			.writeBytes(END_OF_LINE);
	}

	private static byte[] text(int number) {
		return (number < COMMON.length) ? COMMON[number] : bytes(Integer.toString(number));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Return the arguments anew, for a cluster, which looks for the first key, and for
	 * traces of Lettuce.
	 */
	@Override
	public CommandArgs<byte[], byte[]> getArgs() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE).add(this.script)
			.add(this.call.keys.length)
			.addKeys(this.call.keys)
			.addValues(this.call.args);
	}

	@Override
	public CommandOutput<byte[], byte[], Object> getOutput() {
		return this;
	}

	@Override
	public void setOutput(CommandOutput<byte[], byte[], Object> output) {
		throw new UnsupportedOperationException("Only a transaction of Lettuce does this");
	}

	@Override
	public void complete() {
		this.done = true;
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		// For traces of Lettuce.
		setError(failure.getMessage());
		this.done = true;
		return true;
	}

	@Override
	public void cancel() {
		this.cancelled = true;
		this.done = true;
	}

	@Override
	public boolean isDone() {
		return this.done;
	}

	@Override
	public boolean isCancelled() {
		return this.cancelled;
	}

	@Override
	public void multi(int count) {
		this.list = new ArrayList<>(Math.max(1, count));
		this.output = this.list;
	}

	@Override
	public void set(long value) {
		this.output = value;
	}

	@Override
	@SuppressWarnings("NullAway")
	public void set(ByteBuffer bytes) {
		this.output = (bytes != null) ? this.codec.decodeValue(bytes) : null;
	}

	/**
	 * Add the last value to the list, if Lettuce says that it belongs there. If a
	 * connection is lost within a list, the next one may answer the command with a
	 * number.
	 */
	@Override
	public void complete(int depth) {
		if (depth > 0) {
			this.list.add(this.output);
			this.output = this.list;
		}
	}

	/**
	 * Complete the call, but not while this thread still sends the command. The call may
	 * send another command. If the connection is lost just then, Lettuce waits forever
	 * for a thread that sends within a send.
	 */
	@Override
	public void accept(@Nullable Object answer, @Nullable Throwable failure) {
		if (this.sender == Thread.currentThread()) {
			this.end = () -> finished(failure);
		}
		else {
			finished(failure);
		}
	}

	private void finished(@Nullable Throwable failure) {
		if (failure != null) {
			failed(RedisErrors.unwrapped(failure));
			return;
		}
		if (!hasError()) {
			this.runner.answered(this.call.keys[0]);
			ended();
			this.call.complete(get());
			return;
		}
		RedisException refusal = new RedisCommandExecutionException(getError());
		if (RedisErrors.isNoScript(refusal) && !this.bySource) {
			new LettuceCall(this.runner, this.connection, this.call, this.counted, true, this.reconnected).send();
		}
		else {
			ended();
			this.call.completeExceptionally(refusal);
		}
	}

	/** Send gathered calls first: the server works on them meanwhile. */
	private void ended() {
		if (this.counted) {
			this.runner.ended();
		}
	}

	private void failed(Throwable cause) {
		if (isClosedForGood(cause) && !comesBack(cause)) {
			this.runner.forget(this.connection);
			// Only a command that Lettuce rejected at once has certainly not been sent.
			if (isTurnedAway(cause) && !this.reconnected) {
				this.runner.run(this.call, this.counted, true);
				return;
			}
		}
		ended();
		// Lettuce cancels what waits for a connection that is closed.
		this.call.completeExceptionally(
				(cause instanceof CancellationException) ? new RedisException(CLOSED, cause) : cause);
	}

	/**
	 * Return whether Lettuce restores the connection. Meanwhile it may be configured to
	 * reject commands, and it fails those that were under way.
	 */
	private boolean comesBack(Throwable cause) {
		String message = String.valueOf(cause.getMessage());
		return (message.startsWith(NOT_CONNECTED) || message.endsWith("disconnected"))
				&& this.connection.getOptions().isAutoReconnect();
	}

	/**
	 * Return whether the connection is closed, or cut: Lettuce may be configured not to
	 * restore it.
	 */
	private static boolean isClosedForGood(Throwable cause) {
		String message = (cause instanceof RedisException) ? cause.getMessage() : null;
		return message != null && (isTurnedAway(cause) || (message.startsWith("Connection")
				&& (message.contains("closed") || message.contains("disconnected"))));
	}

	private static boolean isTurnedAway(Throwable cause) {
		String message = cause.getMessage();
		return message != null && (message.equals(CLOSED) || message.startsWith(NOT_CONNECTED));
	}

	/**
	 * Keep Lettuce from sending the command again after a reconnect: that of a cluster
	 * does not know that this one was cancelled.
	 */
	private void withdrawDispatched() {
		RedisCommand<byte[], byte[], Object> sent = this.dispatched;
		if (sent != null && sent != this.command) {
			sent.completeExceptionally(new CancellationException());
		}
	}

	/** Withdraw the command. */
	@Override
	public void run() {
		if (!this.command.isDone()) {
			this.command.cancel();
			withdrawDispatched();
			this.runner.unanswered(this.call.keys[0]);
		}
	}

}
