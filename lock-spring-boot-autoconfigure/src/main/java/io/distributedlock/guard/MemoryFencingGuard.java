package io.distributedlock.guard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A guard for resources in this process: tests, and caches. It refuses a token older than
 * one it has seen, for each resource, and forgets when the process ends. Thread-safe;
 * actions on one resource run one at a time, so they should be short.
 *
 * @since 0.1.0
 */
public final class MemoryFencingGuard {

	private final Map<String, Fence> fences = new ConcurrentHashMap<>();

	/**
	 * Write, unless a writer with a newer token was here before. An action that fails
	 * leaves the fence as it was.
	 * @param resource what is written
	 * @param token the fencing token of the writer, equal tokens are accepted
	 * @param action writes
	 * @param <T> the type of the result
	 * @return what the action returned
	 * @throws StaleTokenException if the writer is late; the action has not run
	 */
	public <T extends @Nullable Object> T write(String resource, long token, Supplier<T> action) {
		FencedArguments.check(resource, token);
		return this.fences.computeIfAbsent(resource, (missing) -> new Fence()).pass(resource, token, action);
	}

	/** The newest token that has written. */
	private static final class Fence {

		private long highest;

		private synchronized <T extends @Nullable Object> T pass(String resource, long token, Supplier<T> action) {
			if (token < this.highest) {
				throw new StaleTokenException(resource, token, this.highest);
			}
			T result = action.get();
			this.highest = Math.max(this.highest, token);
			return result;
		}

	}

}
