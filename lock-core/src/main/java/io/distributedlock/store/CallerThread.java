package io.distributedlock.store;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The thread of a caller that waits for the command that it hands to a store. A driver
 * that blocks may run this one command on it instead of a thread of its own, together
 * with commands of other callers. The engine lends a thread only to a store with
 * {@link StoreCapability#CALLER_THREAD}. It never lends its own thread, nor one that
 * brings an answer.
 *
 * @since 0.1.0
 */
public final class CallerThread {

	private static final ThreadLocal<@Nullable Long> LENT = new ThreadLocal<>();

	private CallerThread() {
	}

	/**
	 * Hand a command to a store.
	 * @param <T> the type of the store's result
	 * @param nanos how long the caller can wait at most
	 * @param command calls the store
	 * @return the result of the store
	 */
	public static <T> T lend(long nanos, Supplier<T> command) {
		LENT.set(nanos);
		try {
			return command.get();
		}
		finally {
			LENT.remove();
		}
	}

	/**
	 * Take the thread for a command, which can be done once.
	 * @return how many nanoseconds it may be blocked, or zero if it must not be blocked
	 */
	public static long take() {
		Long nanos = LENT.get();
		LENT.remove();
		return (nanos != null) ? nanos : 0;
	}

}
