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
 * @param handOffs how often in a row an exclusive lock is handed on among the callers of
 * this instance without asking the store, at most {@value #MAX_HAND_OFFS}; zero for never
 * @param handOffPeriod how long after it was acquired from the store a lock is handed on
 * within this instance, at most {@link #MAX_HAND_OFF_PERIOD}, and never longer than a
 * hundredth of its ttl
 * @param leakDetection how many acquisitions are watched for a lease that is never closed
 * @since 0.1.0
 */
public record EngineSettings(Duration pollInterval, Duration shutdownGrace, int handOffs, Duration handOffPeriod,
		LeakDetection leakDetection) {

	/**
	 * The most hand-offs in a row. Each reserves a fencing token, and tokens must not get
	 * ahead of the clock of the server, which goes on where a key is lost.
	 */
	public static final int MAX_HAND_OFFS = 64;

	/** Other instances wait at least for so long. */
	public static final Duration MAX_HAND_OFF_PERIOD = Duration.ofSeconds(1);

	/**
	 * A store that remembers for three polls who waits needs no more than a minute, and
	 * can tell a clock that went back from a waiter.
	 */
	public static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(20);

	/** Polls every second; 10 s of grace; 64 hand-offs within 20 ms; leaks by samples. */
	public static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(1), Duration.ofSeconds(10), 64,
			Duration.ofMillis(20), LeakDetection.SAMPLED);

	/**
	 * Create settings.
	 * @throws InvalidSettingException if the poll interval is shorter than a millisecond
	 * or longer than {@link #MAX_POLL_INTERVAL}, the grace period is negative or longer
	 * than {@link LockOptions#MAX_TTL}, or a limit of hand-offs is negative or too large
	 */
	public EngineSettings {
		InvalidSettingException.requireRange("pollInterval", pollInterval, Duration.ofMillis(1), MAX_POLL_INTERVAL);
		InvalidSettingException.requireRange("shutdownGrace", shutdownGrace, Duration.ZERO, LockOptions.MAX_TTL);
		InvalidSettingException.requireRange("handOffPeriod", handOffPeriod, Duration.ZERO, MAX_HAND_OFF_PERIOD);
		if (handOffs < 0 || handOffs > MAX_HAND_OFFS) {
			throw new InvalidSettingException("handOffs", handOffs,
					"handOffs must be between 0 and %d but is %d".formatted(MAX_HAND_OFFS, handOffs));
		}
	}

	/**
	 * The same settings with another grace period.
	 * @param shutdownGrace how long closing waits for running bodies; zero does not wait
	 * @return new settings
	 */
	public EngineSettings withShutdownGrace(Duration shutdownGrace) {
		return new EngineSettings(this.pollInterval, shutdownGrace, this.handOffs, this.handOffPeriod,
				this.leakDetection);
	}

	/**
	 * The same settings with another poll interval.
	 * @param pollInterval the longest a waiter sleeps before it asks the store again
	 * @return new settings
	 */
	public EngineSettings withPollInterval(Duration pollInterval) {
		return new EngineSettings(pollInterval, this.shutdownGrace, this.handOffs, this.handOffPeriod,
				this.leakDetection);
	}

	/**
	 * The same settings with other limits of hand-offs.
	 * @param handOffs how often in a row; zero for never
	 * @param handOffPeriod how long after the acquisition from the store
	 * @return new settings
	 */
	public EngineSettings withHandOffs(int handOffs, Duration handOffPeriod) {
		return new EngineSettings(this.pollInterval, this.shutdownGrace, handOffs, handOffPeriod, this.leakDetection);
	}

	/**
	 * The same settings with another detection of leases that are never closed.
	 * @param leakDetection how many acquisitions are watched
	 * @return new settings
	 */
	public EngineSettings withLeakDetection(LeakDetection leakDetection) {
		return new EngineSettings(this.pollInterval, this.shutdownGrace, this.handOffs, this.handOffPeriod,
				leakDetection);
	}

}
