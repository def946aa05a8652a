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

	/**
	 * Create an exception.
	 * @param rules the missing rules
	 * @param allRules all rules that the user needs
	 * @param said the texts of the server
	 * @param changes {@code false} if the server has no command for changing users
	 */
	MissingPermissionsException(String user, List<String> rules, String allRules, String said, boolean changes) {
		super(Kind.MISCONFIGURED,
				"The Redis user '%s' may not do what distributed locks need (%s). All that they need is %s. %s%s"
					.formatted(user, said, allRules, RedisPermission.advice(user, rules, changes),
							changes ? "" : "; where it allows a command to no user, no locks can be kept"),
				null);
		this.remedy = changes ? RedisPermission.remedy(user, rules) : String.join(" ", rules);
		this.wholeRemedy = changes ? RedisPermission.remedy(user, List.of(allRules)) : allRules;
	}

	/**
	 * The remedy. A missing permission may have kept the check from trying the rest.
	 * @return a command for Redis, or the rules alone if the server has no command that
	 * changes users, as some managed ones
	 * @see #getWholeRemedy()
	 */
	public String getRemedy() {
		return this.remedy;
	}

	/**
	 * The remedy with all permissions for locks, even those that the user has already.
	 * @return a command for Redis, or the rules alone
	 */
	public String getWholeRemedy() {
		return this.wholeRemedy;
	}

}
