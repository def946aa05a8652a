package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockOptions;

/**
 * Whether a ttl leaves renewal the time that it needs. Renewal starts at a third of the
 * ttl; a command that times out must leave time for another one before the lease ends.
 */
record RenewalRules(Duration commandTimeout) {

	/** Commands of the memory store cannot time out. */
	static RenewalRules of(DistributedLockProperties properties) {
		boolean redis = properties.store() == DistributedLockProperties.Store.REDIS;
		return new RenewalRules(redis ? properties.redis().commandTimeout() : Duration.ZERO);
	}

	/**
	 * Check resolved options.
	 * @param options options in which ttl and renew are set
	 * @param ttlProperty where the ttl is set, or can be
	 * @param renewProperty where renewal is switched off
	 */
	void check(LockOptions options, String ttlProperty, String renewProperty) {
		Duration ttl = options.ttl();
		if (ttl == null || !Boolean.TRUE.equals(options.renew())) {
			return;
		}
		if (ttl.compareTo(LockOptions.MIN_RENEWABLE_TTL) < 0) {
			throw new InvalidLockPropertyException(ttlProperty, ttl, "is too short to be renewed",
					"Use at least %s, or switch renewal off with %s=false; a number without a unit is milliseconds"
						.formatted(DurationText.of(LockOptions.MIN_RENEWABLE_TTL), renewProperty));
		}
		if (ttl.compareTo(this.commandTimeout.multipliedBy(2)) < 0) {
			throw new InvalidLockPropertyException(ttlProperty, ttl,
					"is shorter than twice the command timeout of " + DurationText.of(this.commandTimeout)
							+ ", so that a single command without an answer loses the lock",
					"Lower distributed-lock.redis.command-timeout to half of the ttl or less, use a longer ttl, "
							+ "or switch renewal off with %s=false".formatted(renewProperty));
		}
	}

}
