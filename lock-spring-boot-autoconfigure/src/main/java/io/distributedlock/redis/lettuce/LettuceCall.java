package io.distributedlock.redis.lettuce;

import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.ScriptCall;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandWrapper;

/**
 * The command of Lettuce for a script on its way. It completes the script's call itself,
 * without a future of its own.
 */
final class LettuceCall extends CommandWrapper<byte[], byte[], Object> implements ScriptCall.Command {

	private static final String NOT_CONNECTED = "Currently not connected";

	private static final String CLOSED = "Connection is closed";

	private final LettuceScriptRunner runner;

	private final StatefulConnection<byte[], byte[]> connection;

	private final ScriptCall call;

	private final boolean bySource;

	private final boolean reconnected;

	/**
	 * Create a command.
	 * @param bySource whether the server does not know the digest
	 * @param reconnected whether another connection was closed for good before
	 */
	LettuceCall(LettuceScriptRunner runner, StatefulConnection<byte[], byte[]> connection, ScriptCall call,
			boolean bySource, boolean reconnected) {
		super(ScriptOutput.command(call, bySource));
		this.runner = runner;
		this.connection = connection;
		this.call = call;
		this.bySource = bySource;
		this.reconnected = reconnected;
	}

	void send() {
		this.call.begin(this);
		if (isDone()) {
			return;
		}
		try {
			this.connection.dispatch(this);
		}
		catch (RuntimeException ex) {
			// The client behind the connection was shut down, so nothing was sent.
			completeExceptionally(new RedisException(CLOSED, ex));
		}
	}

	@Override
	protected void doOnComplete() {
		String error = getOutput().getError();
		if (error == null) {
			this.runner.answered(this.call.keys()[0]);
			this.call.answered(getOutput().get());
			return;
		}
		RedisException refusal = new RedisCommandExecutionException(error);
		if (RedisErrors.isNoScript(refusal) && !this.bySource) {
			new LettuceCall(this.runner, this.connection, this.call, true, this.reconnected).send();
		}
		else {
			this.call.failed(refusal);
		}
	}

	@Override
	protected void doOnError(Throwable failure) {
		Throwable cause = RedisErrors.unwrapped(failure);
		if (isClosedForGood(cause) && !comesBack(cause)) {
			this.runner.forget(this.connection);
			// Only a command that Lettuce turned away at once has certainly not been
			// sent.
			if (isTurnedAway(cause) && !this.reconnected) {
				this.runner.run(this.call, true);
				return;
			}
		}
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
		if (!isDone()) {
			cancel();
			this.runner.unanswered(this.call.keys()[0]);
		}
	}

}
