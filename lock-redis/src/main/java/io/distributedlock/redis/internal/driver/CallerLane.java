package io.distributedlock.redis.internal.driver;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A few connections for callers that wait for a command anyway and run it themselves.
 * Thread-safe.
 */
public interface CallerLane {

	/**
	 * Run a command on this thread, for a moment at most.
	 * @param command asked for the command once there is a connection, and only then;
	 * none is sent if it returns {@code null}
	 * @param nanos how long the thread may be blocked
	 * @return the answer, or {@code null} without a connection or an answer: a thread of
	 * the driver has to run it then, maybe for the second time
	 */
	@Nullable Object run(Supplier<@Nullable NumberedCommand> command, long nanos);

	/**
	 * Return whether there are connections, of which one is likely to be free in a
	 * moment.
	 */
	boolean isInUse();

	/**
	 * Return whether one more connection is wanted; if so, {@link #open()} has to follow.
	 */
	boolean wantsMore();

	/** Open one more connection. Blocks. */
	void open();

}
