package io.distributedlock.redis.internal.driver;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Refusals of a command for several keys, of which one may be the cause.
 */
public final class Refusals {

	/** Texts of Redis, of Redis Enterprise and of some proxies. */
	private static final Pattern CROSS_SLOT = Pattern
		.compile(RedisErrors.START + "CROSSSLOT\\b|^[^'`\"]*\\bkeys\\b.*\\bsame (hash )?slot\\b");

	/**
	 * Errors that one key of a command can cause: a permission, a foreign value or state,
	 * an error of the script, an exceeded limit. Redis before 7 reports such an error
	 * inside a script as an error of the script.
	 */
	private static final Pattern OF_ONE_KEY = Pattern
		.compile(RedisErrors.START + "(?:(WRONGTYPE|CROSSSLOT|LOCKVERSION|LOCKFOREIGN)\\b|" + RedisErrors.REFUSAL + ')'
				+ "|\\buser_script\\b|^ERR (Error running|Lua|Protocol error)|\\btoo (big|large|long|many)\\b");

	/**
	 * Errors that concern all keys at present, also inside a script, or that come before
	 * it, if the user may run no script. A command that is forbidden inside a script is
	 * not among them: perhaps only some locks need it.
	 */
	private static final Pattern OF_ALL_KEYS = RedisErrors
		.starting("(OOM|READONLY|NOREPLICAS|MISCONF|LOADING|MASTERDOWN|CLUSTERDOWN|BUSY|TRYAGAIN)\\b"
				+ "|NOPERM (User \\S+|this user) has no permissions to run the '");

	private static final int PARTS = 4;

	private Refusals() {
	}

	/** Return whether keys are on two nodes, since their slot is being moved. */
	public static boolean isTryAgain(Throwable failure) {
		return RedisErrors.says(failure, "TRYAGAIN");
	}

	/** Return whether keys of a command are in different slots. */
	public static boolean isCrossSlot(Throwable failure) {
		return RedisErrors.said(CROSS_SLOT, failure) != null;
	}

	/**
	 * Return whether one key of a command may be the cause, so that the command would
	 * succeed for the others.
	 */
	public static boolean isOfOneKey(Throwable failure) {
		String said = RedisErrors.said(OF_ONE_KEY, failure);
		return (said != null && !OF_ALL_KEYS.matcher(said).find()) || isCrossSlot(failure);
	}

	/**
	 * Divide a refused command for several keys. Quarters find one key of many in half
	 * the rounds of halves, and with as many commands. If keys may not be together, each
	 * is alone.
	 */
	public static <T> List<List<T>> divided(List<T> whole, Throwable refusal) {
		int count = whole.size();
		boolean apart = isCrossSlot(refusal) || isTryAgain(refusal);
		int parts = apart ? count : Math.min(PARTS, count);
		return IntStream.range(0, parts)
			.mapToObj((i) -> whole.subList(i * count / parts, (i + 1) * count / parts))
			.toList();
	}

}
