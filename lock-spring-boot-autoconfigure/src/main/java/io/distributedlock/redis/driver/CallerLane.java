package io.distributedlock.redis.driver;

import org.jspecify.annotations.Nullable;

/**
 * A few connections on which callers that wait for a command anyway run it themselves.
 * Thread-safe.
 */
public interface CallerLane {

	/**
	 * Run a script on this thread, for a moment at most.
	 * @param script the script
	 * @param keyCount how many of the values are keys
	 * @param values keys and arguments, the last of which is the number of the command
	 * @param nanos how long the thread may be blocked
	 * @return what the script said, or {@code null} if there was no connection or no
	 * answer: it is to be run in the usual way then, where it may be a repetition
	 */
	@Nullable Object run(NumberedScript script, int keyCount, byte[][] values, long nanos);

	/** Whether to {@link #open()} one connection more, which is to be done then. */
	boolean wantsMore();

	/** Open one connection more. Blocks. */
	void open();

}
