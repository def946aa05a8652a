package io.distributedlock.leader;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

import static io.distributedlock.InvalidSettingException.text;

/**
 * Options of an election. Immutable.
 *
 * @param ttl the lease, which is renewed: how long a leader that died is not replaced, at
 * least {@link LockOptions#MIN_RENEWABLE_TTL}; {@code null} for that of all locks, 30 s
 * by default
 * @param margin how long before the end of its lease a leadership ends if no renewal was
 * confirmed, which is the time to stop in; {@code null} for a fifth of the lease. At most
 * half of the lease, also where a profile makes that shorter
 * @param listenerGrace how long the lock is kept for listeners that have not returned
 * after the end of a leadership; zero does not wait for them
 * @since 0.1.0
 */
public record LeaderOptions(@Nullable Duration ttl, @Nullable Duration margin, Duration listenerGrace) {

	/** The lease of all locks, a fifth of it as the margin, and 10 s for listeners. */
	public static final LeaderOptions DEFAULTS = new LeaderOptions(null, null, Duration.ofSeconds(10));

	/**
	 * Create options.
	 * @throws InvalidSettingException if the ttl cannot be renewed, the margin is more
	 * than half of it, or the grace period is negative or longer than
	 * {@link LockOptions#MAX_TTL}
	 */
	public LeaderOptions {
		InvalidSettingException.requireRange("ttl", ttl, LockOptions.MIN_RENEWABLE_TTL, LockOptions.MAX_TTL);
		InvalidSettingException.requireRange("margin", margin, Duration.ofMillis(1), LockOptions.MAX_TTL);
		InvalidSettingException.requireRange("listenerGrace", listenerGrace, Duration.ZERO, LockOptions.MAX_TTL);
		if (ttl != null && margin != null && margin.multipliedBy(2).compareTo(ttl) > 0) {
			throw new InvalidSettingException("margin", margin,
					"margin must be at most half of the ttl, which is %s, but is %s".formatted(text(ttl),
							text(margin)));
		}
	}

	/**
	 * The same options with another lease.
	 * @param ttl the lease
	 * @return new options
	 */
	public LeaderOptions withTtl(Duration ttl) {
		return new LeaderOptions(ttl, this.margin, this.listenerGrace);
	}

	/**
	 * The same options with another margin.
	 * @param margin how long before the end of its lease a leadership ends
	 * @return new options
	 */
	public LeaderOptions withMargin(Duration margin) {
		return new LeaderOptions(this.ttl, margin, this.listenerGrace);
	}

	/**
	 * The same options with another grace period.
	 * @param listenerGrace how long the lock is kept for listeners
	 * @return new options
	 */
	public LeaderOptions withListenerGrace(Duration listenerGrace) {
		return new LeaderOptions(this.ttl, this.margin, listenerGrace);
	}

}
