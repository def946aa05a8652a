package io.distributedlock.redis.internal.driver;

import java.util.concurrent.CompletableFuture;

/**
 * Runs scripts without ever blocking the caller. By digest first, by source where the
 * server does not know it. Thread-safe.
 */
public interface ScriptRunner extends AutoCloseable {

	/**
	 * Run a script once.
	 * @param call what to run; hears the answer, or whatever the driver said
	 */
	void run(ScriptCall call);

	/**
	 * Open the first connection in the background, unless that was done. Commands wait
	 * for the attempt that is under way and never begin another one beside it.
	 * @return completes when there is a connection, or when it takes too long to wait for
	 * it, and fails where it cannot be opened
	 */
	CompletableFuture<?> connect();

	/** Whether answers may not come while a thread is blocked. */
	default boolean isAnsweredBy(Thread thread) {
		return false;
	}

	@Override
	void close();

}
