package io.distributedlock.redis;

import java.util.List;

import io.distributedlock.LockStoreException;

/**
 * Exception for a Redis user that lacks permissions for locks. No lock is handed out
 * until it has them.
 *
 * @since 0.1.0
 */
public final class MissingPermissionsException extends LockStoreException {

	private final String remedy;

	private final String wholeRemedy;

	MissingPermissionsException(String user, List<String> rules, String allRules, String said) {
		super(Kind.MISCONFIGURED,
				"The Redis user '%s' may not do what distributed locks need (%s). All that they need is %s. Allow it by: %s"
					.formatted(user, said, allRules, RedisPermission.remedy(user, rules)),
				null);
		this.remedy = RedisPermission.remedy(user, rules);
		this.wholeRemedy = RedisPermission.remedy(user, List.of(allRules));
	}

	/**
	 * The remedy. A missing permission may have kept the check from trying the rest.
	 * @return a command for Redis
	 * @see #getWholeRemedy()
	 */
	public String getRemedy() {
		return this.remedy;
	}

	/**
	 * The remedy with all permissions for locks, even those that the user has already.
	 * @return a command for Redis
	 */
	public String getWholeRemedy() {
		return this.wholeRemedy;
	}

}
