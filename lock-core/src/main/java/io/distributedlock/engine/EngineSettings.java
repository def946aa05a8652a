package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;

/**
 * Settings of the engine, which are the same for all locks of a registry.
 *
 * @param pollInterval the longest pause of a waiter between two attempts, without jitter,
 * from 1 ms to {@link #MAX_POLL_INTERVAL}; wake-ups only shorten it. It is up to four
 * times as long for a waiter that the store is certain to wake next
 * @param shutdownGrace how long closing waits for running bodies
 * @param handOff {@code true} to hand an exclusive lock off among the callers of this
 * instance without asking the store: up to 64 times in a row, and for 20 ms or a
 * hundredth of its ttl, whichever is shorter
 * @param leakDetection how many acquisitions are watched for a lease that is never closed
 * @since 0.1.0
 */
public record EngineSettings(Duration pollInterval, Duration shutdownGrace, boolean handOff,
		LeakDetection leakDetection) {

	/**
	 * The longest poll interval. A waiter entry lasts for three polls or more, but never
	 * for more than a minute. One that seems to last longer shows a store that its clock
	 * went back.
	 */
	public static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(20);

	/** The defaults: a poll every second, 10 s of grace, hand-offs, leaks by samples. */
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
	 * @param pollInterval the longest pause of a waiter between two attempts
	 * @return new settings
	 */
	public EngineSettings withPollInterval(Duration pollInterval) {
		return new EngineSettings(pollInterval, this.shutdownGrace, this.handOff, this.leakDetection);
	}

	/**
	 * The same settings with or without hand-offs.
	 * @param handOff {@code true} to hand locks off among the callers of this instance
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
