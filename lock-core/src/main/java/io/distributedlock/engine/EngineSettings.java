package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;

/**
 * Settings of the engine that no single lock can have.
 *
 * @param pollInterval the longest a waiter sleeps before it asks the store again, without
 * jitter; wake-ups only shorten it; from 1 ms to {@link #MAX_POLL_INTERVAL}
 * @param shutdownGrace how long closing waits for running bodies
 * @param handOff whether an exclusive lock is handed on among the callers of this
 * instance without asking the store, up to 64 times in a row, and for 20 ms or a
 * hundredth of its ttl, whichever is shorter
 * @param leakDetection how many acquisitions are watched for a lease that is never closed
 * @since 0.1.0
 */
public record EngineSettings(Duration pollInterval, Duration shutdownGrace, boolean handOff,
		LeakDetection leakDetection) {

	/**
	 * A store that remembers for three polls who waits needs no more than a minute, and
	 * can tell a clock that went back from a waiter.
	 */
	public static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(20);

	/** Polls every second; 10 s of grace; hand-offs; leaks by samples. */
	public static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(1), Duration.ofSeconds(10),
			true, LeakDetection.SAMPLED);

	/**
	 * Create settings.
	 * @throws InvalidSettingException if the poll interval is shorter than a millisecond
	 * or longer than {@link #MAX_POLL_INTERVAL}, or the grace period is negative or
	 * longer than {@link LockOptions#MAX_TTL}
	 */
	public EngineSettings {
		InvalidSettingException.requireRange("pollInterval", pollInterval, Duration.ofMillis(1), MAX_POLL_INTERVAL);
		InvalidSettingException.requireRange("shutdownGrace", shutdownGrace, Duration.ZERO, LockOptions.MAX_TTL);
	}

	/**
	 * The same settings with another grace period.
	 * @param shutdownGrace how long closing waits for running bodies; zero does not wait
	 * @return new settings
	 */
	public EngineSettings withShutdownGrace(Duration shutdownGrace) {
		return new EngineSettings(this.pollInterval, shutdownGrace, this.handOff, this.leakDetection);
	}

	/**
	 * The same settings with another poll interval.
	 * @param pollInterval the longest a waiter sleeps before it asks the store again
	 * @return new settings
	 */
	public EngineSettings withPollInterval(Duration pollInterval) {
		return new EngineSettings(pollInterval, this.shutdownGrace, this.handOff, this.leakDetection);
	}

	/**
	 * The same settings with or without hand-offs.
	 * @param handOff whether callers of this instance hand a lock on to each other
	 * @return new settings
	 */
	public EngineSettings withHandOff(boolean handOff) {
		return new EngineSettings(this.pollInterval, this.shutdownGrace, handOff, this.leakDetection);
	}

	/**
	 * The same settings with another detection of leases that are never closed.
	 * @param leakDetection how many acquisitions are watched
	 * @return new settings
	 */
	public EngineSettings withLeakDetection(LeakDetection leakDetection) {
		return new EngineSettings(this.pollInterval, this.shutdownGrace, this.handOff, leakDetection);
	}

}
