package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.Script;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * A script for people or monitoring, with the future of its result. It is withdrawn after
 * the time-out of a command.
 *
 * @param <T> the type of the result
 */
final class InspectionCall<T> extends CompletableFuture<T> implements ScriptCall {

	private final LockServer server;

	private final LockScript script;

	private final byte[][] keys;

	private final byte[][] args;

	private final Function<Object, T> reader;

	private volatile @Nullable Command sent;

	InspectionCall(LockServer server, LockScript script, byte[][] keys, byte[][] args, Function<Object, T> reader) {
		this.server = server;
		this.script = script;
		this.keys = keys;
		this.args = args;
		this.reader = reader;
	}

	InspectionCall<T> send(ScriptRunner runner, long millis) {
		orTimeout(millis, TimeUnit.MILLISECONDS);
		whenComplete((answer, failure) -> withdraw());
		runner.run(this);
		return this;
	}

	private void withdraw() {
		Command current = this.sent;
		if (current != null && isCompletedExceptionally()) {
			current.withdraw();
		}
	}

	@Override
	public Script script() {
		return this.script.script;
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
	public void begin(Command command) {
		this.sent = command;
		withdraw();
	}

	@Override
	public void answered(Object answer) {
		try {
			complete(this.reader.apply(answer));
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	@Override
	public void failed(Throwable thrown) {
		if (!isDone()) {
			completeExceptionally(failure(RedisErrors.unwrapped(thrown)));
		}
	}

	private LockStoreException failure(Throwable failure) {
		return this.server.translated(this.script, this.keys, 1, failure);
	}

}
