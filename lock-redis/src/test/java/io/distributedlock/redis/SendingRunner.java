package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;

/**
 * A runner without a server, for tests that answer by themselves.
 *
 * @param sender gets each call
 */
record SendingRunner(Consumer<ScriptCall> sender) implements ScriptRunner {

	@Override
	public void run(ScriptCall call) {
		this.sender.accept(call);
	}

	@Override
	public CompletableFuture<?> connect() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
	}

}
