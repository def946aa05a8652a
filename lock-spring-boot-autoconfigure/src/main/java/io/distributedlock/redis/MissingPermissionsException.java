package io.distributedlock.redis;

import java.util.List;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The Redis user may not do what the locks need. No lock is handed out until it may.
 *
 * @since 0.1.0
 */
public final class MissingPermissionsException extends LockStoreException {

	private final String user;

	private final List<String> rules;

	private final String allRules;

	MissingPermissionsException(String user, List<String> rules, String allRules, String said,
			@Nullable Throwable cause) {
		super(Kind.MISCONFIGURED,
				"The Redis user '%s' may not do what distributed locks need (%s). All that they need is %s. Allow it by: %s"
					.formatted(user, said, allRules, RedisPermission.remedy(user, rules)),
				cause);
		this.user = user;
		this.rules = List.copyOf(rules);
		this.allRules = allRules;
	}

	/**
	 * Who lacks permissions.
	 * @return the name of the user
	 */
	public String getUser() {
		return this.user;
	}

	/**
	 * What is missing.
	 * @return rules of an ACL, such as {@code +hset} or <code>~lock:*</code>
	 */
	public List<String> getRules() {
		return this.rules;
	}

	/**
	 * How to repair it. What is missing may have kept the check from trying the rest.
	 * @return a command for Redis
	 * @see #getWholeRemedy()
	 */
	public String getRemedy() {
		return RedisPermission.remedy(this.user, this.rules);
	}

	/**
	 * How to allow all that locks need, whatever the user may do already.
	 * @return a command for Redis
	 */
	public String getWholeRemedy() {
		return RedisPermission.remedy(this.user, List.of(this.allRules));
	}

}
