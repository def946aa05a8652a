package io.distributedlock.redis.driver;

import java.util.concurrent.CompletableFuture;

/**
 * Runs scripts without ever blocking the caller. By digest first, by source where the
 * server does not know it. A call belongs to no lock, so one may serve several callers.
 * Thread-safe.
 */
public interface ScriptRunner extends AutoCloseable {

	/**
	 * Run a script once.
	 * @param script what to run
	 * @param keys its keys, in one hash slot
	 * @param args its arguments
	 * @return a number or a list of numbers and bytes; fails with whatever the driver
	 * said; cancelling it withdraws the command if it was not sent yet
	 */
	CompletableFuture<Object> run(RedisScript script, byte[][] keys, byte[][] args);

	/**
	 * Get ready in the background, so that the first command does not have to wait for
	 * it. What goes wrong shows with the first command.
	 */
	void warmUp();

	@Override
	void close();

}
