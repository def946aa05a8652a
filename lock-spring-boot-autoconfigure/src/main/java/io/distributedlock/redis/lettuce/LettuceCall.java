package io.distributedlock.redis.lettuce;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.RedisScript;
import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * One script on its way through Lettuce. Cancelling it withdraws the command.
 */
final class LettuceCall extends CompletableFuture<Object> implements BiConsumer<Object, @Nullable Throwable> {

	private static final String NOT_CONNECTED = "Currently not connected";

	private final LettuceScriptRunner runner;

	private final RedisScript script;

	private final byte[][] keys;

	private final byte[][] args;

	private @Nullable RedisClusterAsyncCommands<byte[], byte[]> commands;

	private volatile @Nullable RedisFuture<Object> sent;

	private boolean bySource;

	private boolean reconnected;

	LettuceCall(LettuceScriptRunner runner, RedisScript script, byte[][] keys, byte[][] args) {
		this.runner = runner;
		this.script = script;
		this.keys = keys;
		this.args = args;
	}

	void start() {
		RedisClusterAsyncCommands<byte[], byte[]> commands = this.runner.commands();
		if (commands != null) {
			send(commands);
			return;
		}
		this.runner.connect().whenComplete((opened, ex) -> {
			if (ex != null) {
				completeExceptionally(ex);
			}
			else {
				send(opened);
			}
		});
	}

	private void send(RedisClusterAsyncCommands<byte[], byte[]> commands) {
		if (isDone()) {
			return;
		}
		try {
			RedisFuture<Object> answer = ScriptOutput.send(commands, this.script, this.bySource, this.keys, this.args);
			this.commands = commands;
			this.sent = answer;
			answer.whenComplete(this);
			if (isCancelled()) {
				answer.cancel(true);
			}
		}
		catch (RuntimeException ex) {
			// The client behind the connection was shut down, so nothing was sent.
			this.runner.forget(commands);
			restartOrFail(ex, true);
		}
	}

	@Override
	public void accept(Object value, @Nullable Throwable failure) {
		if (failure == null) {
			this.runner.answered(this.keys[0]);
			complete(value);
			return;
		}
		RedisClusterAsyncCommands<byte[], byte[]> commands = Objects.requireNonNull(this.commands);
		Throwable cause = RedisErrors.unwrapped(failure);
		if (cause instanceof RedisNoScriptException && !this.bySource) {
			this.bySource = true;
			send(commands);
		}
		else if (isClosedForGood(cause) && !comesBack(commands, cause)) {
			this.runner.forget(commands);
			restartOrFail(cause, isTurnedAway(cause));
		}
		else {
			completeExceptionally(cause);
		}
	}

	/** Only a command that Lettuce turned away at once has certainly not been sent. */
	private void restartOrFail(Throwable cause, boolean turnedAway) {
		if (turnedAway && !this.reconnected) {
			this.reconnected = true;
			start();
		}
		else {
			completeExceptionally(cause);
		}
	}

	/** Lettuce may be configured to reject commands until it has reconnected. */
	private static boolean comesBack(RedisClusterAsyncCommands<byte[], byte[]> commands, Throwable cause) {
		return String.valueOf(cause.getMessage()).startsWith(NOT_CONNECTED)
				&& commands instanceof AbstractRedisAsyncCommands<?, ?> current
				&& current.getConnection().getOptions().isAutoReconnect();
	}

	/** Also a connection that was cut, and that Lettuce is configured not to restore. */
	private static boolean isClosedForGood(Throwable cause) {
		String message = (cause instanceof RedisException) ? cause.getMessage() : null;
		return message != null && (isTurnedAway(cause) || (message.startsWith("Connection")
				&& (message.contains("closed") || message.contains("disconnected"))));
	}

	private static boolean isTurnedAway(Throwable cause) {
		String message = cause.getMessage();
		return message != null && (message.equals("Connection is closed") || message.startsWith(NOT_CONNECTED));
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		RedisFuture<Object> command = this.sent;
		if (command != null && command.cancel(mayInterruptIfRunning)) {
			this.runner.unanswered(this.keys[0]);
		}
		return cancelled;
	}

}
