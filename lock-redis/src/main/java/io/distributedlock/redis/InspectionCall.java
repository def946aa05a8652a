package io.distributedlock.redis;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * A script for people or monitoring, with the future of its result. It is withdrawn after
 * the time-out of a command.
 *
 * @param <T> the type of the result
 */
final class InspectionCall<T> extends CompletableFuture<T> {

	private final LockServer server;

	private final LockScript script;

	private final ScriptCall call;

	private final Function<Object, T> reader;

	InspectionCall(LockServer server, LockScript script, byte[][] keys, byte[][] args, Function<Object, T> reader) {
		this.server = server;
		this.script = script;
		this.call = new ScriptCall(script.script, keys, args);
		this.reader = reader;
	}

	InspectionCall<T> send(ScriptRunner runner, long millis) {
		orTimeout(millis, TimeUnit.MILLISECONDS);
		whenComplete((result, failure) -> this.call.cancel(false));
		this.call.whenComplete(this::ended);
		runner.run(this.call);
		return this;
	}

	private void ended(@Nullable Object answer, @Nullable Throwable failure) {
		if (isDone()) {
			return;
		}
		if (failure != null) {
			failed(RedisErrors.unwrapped(failure));
			return;
		}
		try {
			complete(this.reader.apply(Objects.requireNonNull(answer, "No answer")));
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	private void failed(Throwable failure) {
		completeExceptionally(this.server.translated(this.script, this.call.keys, 1, failure));
	}

}
