package io.distributedlock.redis.internal.driver;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A few connections on which callers that wait for a command anyway run it themselves.
 * Thread-safe.
 */
public interface CallerLane {

	/**
	 * Run a command on this thread, for a moment at most.
	 * @param command asked for the command once there is a connection, and only then;
	 * none is sent if it gives nothing
	 * @param nanos how long the thread may be blocked
	 * @return what the script said, or {@code null} if there was no connection or no
	 * answer: it is to be run in the usual way then, where it may be a repetition
	 */
	@Nullable Object run(Supplier<@Nullable NumberedCommand> command, long nanos);

	/** Whether there are connections, of which one is likely to be free in a moment. */
	boolean isInUse();

	/** Whether to {@link #open()} one connection more, which is to be done then. */
	boolean wantsMore();

	/** Open one connection more. Blocks. */
	void open();

}
