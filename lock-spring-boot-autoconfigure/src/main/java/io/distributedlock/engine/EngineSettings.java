package io.distributedlock.engine;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * Settings of the engine that no single lock can have.
 *
 * @param pollInterval the longest a waiter sleeps before it asks the store again, without
 * jitter; wake-ups only shorten it
 * @param shutdownGrace how long closing waits for running bodies
 * @since 0.1.0
 */
public record EngineSettings(Duration pollInterval, Duration shutdownGrace) {

	/** Polls every second; 10 s of grace. */
	public static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(1), Duration.ofSeconds(10));

	public EngineSettings {
		Assert.isTrue(pollInterval.toMillis() >= 1, "pollInterval must be at least 1 ms");
		Assert.isTrue(!shutdownGrace.isNegative(), "shutdownGrace must not be negative");
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
