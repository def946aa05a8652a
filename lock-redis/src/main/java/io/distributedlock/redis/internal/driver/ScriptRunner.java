package io.distributedlock.redis.internal.driver;

import java.util.concurrent.CompletableFuture;

/**
 * Runs scripts without blocking the caller, but for a lent thread ({@code CallerThread}).
 * Sends the digest first, the source if the server does not know it. Thread-safe.
 */
public interface ScriptRunner extends AutoCloseable {

	/**
	 * Run a script.
	 * @param call the call, which gets the answer or the failure of the driver
	 */
	void run(ScriptCall call);

	/**
	 * Open the first connection in the background, unless that was done. Commands wait
	 * for the attempt that is under way and never begin another one beside it.
	 * @return completes when there is a connection, or when the wait for it takes too
	 * long; fails if it cannot be opened
	 */
	CompletableFuture<?> connect();

	/** Return whether answers may not come while a thread is blocked. */
	default boolean isAnsweredBy(Thread thread) {
		return false;
	}

	@Override
	void close();

}
