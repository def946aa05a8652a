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
 * @since 0.1.0
 */
public record EngineSettings(Duration pollInterval, Duration shutdownGrace) {

	/**
	 * A store that remembers for three polls who waits needs no more than a minute, and
	 * can tell a clock that went back from a waiter.
	 */
	public static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(20);

	/** Polls every second; 10 s of grace. */
	public static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(1), Duration.ofSeconds(10));

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
		return new EngineSettings(this.pollInterval, shutdownGrace);
	}

	/**
	 * The same settings with another poll interval.
	 * @param pollInterval the longest a waiter sleeps before it asks the store again
	 * @return new settings
	 */
	public EngineSettings withPollInterval(Duration pollInterval) {
		return new EngineSettings(pollInterval, this.shutdownGrace);
	}

}
