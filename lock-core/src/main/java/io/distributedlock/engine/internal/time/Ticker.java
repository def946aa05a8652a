package io.distributedlock.engine.internal.time;

/**
 * A monotonic clock. It decides whether a lock is held; a wall clock can only raise
 * doubt.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Ticker {

	/**
	 * Nanoseconds since an arbitrary moment before the first reading.
	 * @return the time, never negative and never less than before
	 */
	long nanos();

	/**
	 * A ticker on {@link System#nanoTime()}.
	 * @return a new ticker that starts near zero
	 */
	static Ticker system() {
		long origin = System.nanoTime();
		return () -> System.nanoTime() - origin;
	}

}
