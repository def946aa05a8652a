package io.distributedlock.redis.internal.lettuce;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A script on its way with Lettuce, which reads the answer into it: a number, or a list
 * of numbers and bytes. It completes the script's call itself, without a future of its
 * own, and takes a quarter of the memory of the general output of Lettuce.
 */
final class LettuceCall extends CommandOutput<byte[], byte[], Object>
		implements BiConsumer<Object, Throwable>, ScriptCall.Command {

	private static final String NOT_CONNECTED = "Currently not connected";

	private static final String CLOSED = "Connection is closed";

	private final LettuceScriptRunner runner;

	private final StatefulConnection<byte[], byte[]> connection;

	private final ScriptCall call;

	/** Whether the gatherer waits for its end. */
	private final boolean counted;

	private final boolean bySource;

	private final boolean reconnected;

	private final CommandWrapper<byte[], byte[], Object> command;

	/** While this thread sends the command. */
	private @Nullable Thread sender;

	/** What the end of the command means, if it has ended while it was sent. */
	private @Nullable Runnable end;

	/** The last list of an answer; one that was half read may be followed by a number. */
	private List<@Nullable Object> list = List.of();

	/**
	 * Create a command.
	 * @param counted whether the gatherer waits for its end
	 * @param bySource whether the server does not know the digest
	 * @param reconnected whether another connection was closed for good before
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
		this.reconnected = reconnected;
		CommandArgs<byte[], byte[]> all = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(bySource ? call.script().source : call.script().digest)
			.add(call.keys().length)
			.addKeys(call.keys())
			.addValues(call.args());
		this.command = new CommandWrapper<>(
				new Command<>(bySource ? CommandType.EVAL : CommandType.EVALSHA, this, all));
		this.command.onComplete(this);
	}

	void send() {
		this.call.begin(this);
		if (this.command.isDone()) {
			return;
		}
		this.sender = Thread.currentThread();
		try {
			this.connection.dispatch(this.command);
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
	 * What was read last is one of a list only if Lettuce says so: a connection may be
	 * lost within a list, and the command be answered with a number by the next one.
	 */
	@Override
	public void complete(int depth) {
		if (depth > 0) {
			this.list.add(this.output);
			this.output = this.list;
		}
	}

	/**
	 * The command has ended. What follows may send another one, and Lettuce waits forever
	 * for a thread that does so while it is about to send, if the connection is lost at
	 * that moment.
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
			this.runner.answered(this.call.keys()[0]);
			ended();
			this.call.answered(get());
			return;
		}
		RedisException refusal = new RedisCommandExecutionException(getError());
		if (RedisErrors.isNoScript(refusal) && !this.bySource) {
			new LettuceCall(this.runner, this.connection, this.call, this.counted, true, this.reconnected).send();
		}
		else {
			ended();
			this.call.failed(refusal);
		}
	}

	/** Others may have gathered, and go first: the server works on them meanwhile. */
	private void ended() {
		if (this.counted) {
			this.runner.ended();
		}
	}

	private void failed(Throwable cause) {
		if (isClosedForGood(cause) && !comesBack(cause)) {
			this.runner.forget(this.connection);
			// Only a command that Lettuce turned away at once has certainly not been
			// sent.
			if (isTurnedAway(cause) && !this.reconnected) {
				this.runner.run(this.call, this.counted, true);
				return;
			}
		}
		ended();
		this.call.failed(cause);
	}

	/**
	 * Lettuce may be configured to reject commands until it has reconnected, and fails
	 * those that were on their way when the connection was lost.
	 */
	private boolean comesBack(Throwable cause) {
		String message = String.valueOf(cause.getMessage());
		return (message.startsWith(NOT_CONNECTED) || message.endsWith("disconnected"))
				&& this.connection.getOptions().isAutoReconnect();
	}

	/** Also a connection that was cut, and that Lettuce is configured not to restore. */
	private static boolean isClosedForGood(Throwable cause) {
		String message = (cause instanceof RedisException) ? cause.getMessage() : null;
		return message != null && (isTurnedAway(cause) || (message.startsWith("Connection")
				&& (message.contains("closed") || message.contains("disconnected"))));
	}

	private static boolean isTurnedAway(Throwable cause) {
		String message = cause.getMessage();
		return message != null && (message.equals(CLOSED) || message.startsWith(NOT_CONNECTED));
	}

	@Override
	public void withdraw() {
		if (!this.command.isDone()) {
			this.command.cancel();
			this.runner.unanswered(this.call.keys()[0]);
		}
	}

}
