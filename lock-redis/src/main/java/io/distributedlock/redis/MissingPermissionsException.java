package io.distributedlock.redis;

import java.util.List;

import io.distributedlock.LockStoreException;

/**
 * The Redis user may not do what the locks need. No lock is handed out until it may.
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
	 * How to repair it. What is missing may have kept the check from trying the rest.
	 * @return a command for Redis
	 * @see #getWholeRemedy()
	 */
	public String getRemedy() {
		return this.remedy;
	}

	/**
	 * How to allow all that locks need, whatever the user may do already.
	 * @return a command for Redis
	 */
	public String getWholeRemedy() {
		return this.wholeRemedy;
	}

}
