package io.distributedlock.redlock;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link RedlockLockStore}.
 *
 * @param nodeTimeout time that a node has for its answer to an attempt, if enough other
 * nodes have answered; {@code null} for a twentieth of the lease and at most 50 ms
 * @since 0.1.0
 */
public record RedlockSettings(@Nullable Duration nodeTimeout) {

	/** A twentieth of the lease and at most 50 ms. */
	public static final RedlockSettings DEFAULTS = new RedlockSettings(null);

	private static final Duration LONGEST_DEFAULT = Duration.ofMillis(50);

	private static final int PARTS_OF_LEASE = 20;

	/**
	 * Create settings.
	 * @throws InvalidSettingException if the time-out is shorter than a millisecond or
	 * longer than a minute
	 */
	public RedlockSettings {
		InvalidSettingException.requireRange("nodeTimeout", nodeTimeout, Duration.ofMillis(1), Duration.ofMinutes(1));
	}

	/** Return the node time-out of commands other than attempts. */
	Duration timeout() {
		return (this.nodeTimeout != null) ? this.nodeTimeout : LONGEST_DEFAULT;
	}

	/** Return the node time-out of an attempt to get a lease. */
	Duration timeout(Duration ttl) {
		if (this.nodeTimeout != null) {
			return this.nodeTimeout;
		}
		Duration part = ttl.dividedBy(PARTS_OF_LEASE);
		return (part.compareTo(LONGEST_DEFAULT) < 0) ? part : LONGEST_DEFAULT;
	}

}
