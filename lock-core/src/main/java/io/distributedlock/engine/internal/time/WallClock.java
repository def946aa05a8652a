package io.distributedlock.engine.internal.time;

/**
 * The wall clock of this machine. It can be set at any time, so that it proves nothing:
 * {@link ClockWatch} only takes it as a reason for doubt.
 */
@FunctionalInterface
public interface WallClock {

	/**
	 * Milliseconds since 1970.
	 * @return the time, maybe less than before
	 */
	long millis();

	/**
	 * The clock of the system. No other code of this library reads that.
	 * @return the clock
	 */
	static WallClock system() {
		return System::currentTimeMillis;
	}

}
