package io.distributedlock.redis.driver;

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
	 * Get ready in the background, so that the first command does not have to wait for
	 * it. What goes wrong shows with the first command.
	 */
	void warmUp();

	@Override
	void close();

}
