package io.distributedlock.redis;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * What a failed command means for locks, and what to do about it.
 */
final class RedisFailures {

	private static final Pattern MISCONFIGURED = Pattern.compile(
			"\\b(NOPERM|WRONGTYPE|CROSSSLOT|NOAUTH|WRONGPASS|LOCKVERSION|LOCKKEYS|LOCKFOREIGN)\\b|data string too short"
					+ "|^ERR (AUTH|invalid password|Client sent AUTH)|user executing the script can't|ACL failure in script");

	/**
	 * As foreign.lua says it: which of the keys, counted from 1, and what lives there.
	 */
	private static final Pattern FOREIGN = Pattern.compile("^LOCKFOREIGN (\\d+) (.*)");

	/** As Redis and Redis Enterprise say it, and as some proxies do. */
	private static final Pattern CROSS_SLOT = Pattern.compile("\\bCROSSSLOT\\b|\\bkeys\\b.*\\bsame (hash )?slot\\b");

	/**
	 * What one key of a command can cause: a permission, a foreign value or state, an
	 * error of the script, too much of it all. Redis before 7 says the same inside a
	 * script as an error of that.
	 */
	private static final Pattern OF_ONE_KEY = Pattern.compile(
			"\\b(NOPERM|WRONGTYPE|CROSSSLOT|LOCKVERSION|LOCKFOREIGN)\\b|user executing the script can't|ACL failure in script"
					+ "|\\buser_script\\b|^ERR (Error running|Lua|Protocol error)|\\btoo (big|large|long|many)\\b");

	/**
	 * What a server says of all keys at present, also inside a script; or before it,
	 * where the user may run none. A command in a script may be one that some locks need
	 * alone.
	 */
	private static final Pattern OF_ALL_KEYS = Pattern
		.compile("\\b(OOM|READONLY|NOREPLICAS|MISCONF|LOADING|MASTERDOWN|CLUSTERDOWN|BUSY|TRYAGAIN)\\b"
				+ "|\\bNOPERM (User \\S+|this user) has no permissions to run the '");

	/** The beginning of what a server says, and not a library of TLS. */
	private static final Pattern ERROR = Pattern.compile("^(?!PKIX|SSL|TLS)[A-Z]{3,} ");

	/** As Lettuce says it. */
	private static final Pattern OF_SENTINEL = Pattern.compile("^Cannot connect (to a )?Redis Sentinel\\b");

	/** As Lettuce says it. */
	private static final Set<String> BROKEN_HANDSHAKE = Set.of("Connection closed prematurely",
			"RedisHandshakeHandler not registered");

	private RedisFailures() {
	}

	/** Which of the keys of a script is not what it should be, or -1. */
	static int foreign(Throwable failure) {
		String said = RedisErrors.said(FOREIGN, failure);
		Matcher matcher = FOREIGN.matcher((said != null) ? said : "");
		return matcher.find() ? Integer.parseInt(matcher.group(1)) - 1 : -1;
	}

	/** Whether keys of a command are on two nodes, since their slot is being moved. */
	static boolean isTryAgain(Throwable failure) {
		return RedisErrors.says(failure, "TRYAGAIN");
	}

	/** Whether keys of a command are in different slots. */
	static boolean isCrossSlot(Throwable failure) {
		return RedisErrors.said(CROSS_SLOT, failure) != null;
	}

	/**
	 * Whether one key of a command may be the cause, so that the command would succeed
	 * for the others.
	 */
	static boolean isOfOneKey(Throwable failure) {
		String said = RedisErrors.said(OF_ONE_KEY, failure);
		return (said != null && !OF_ALL_KEYS.matcher(said).find()) || isCrossSlot(failure);
	}

	/** Whether a cluster says that it does not work at present. */
	static boolean isClusterDown(Throwable failure) {
		return RedisErrors.says(failure, "CLUSTERDOWN");
	}

	/**
	 * Whether Lettuce's connection was closed before it was ready, or before its set-up
	 * began: that to any node of a cluster, whose failures are beside the chain of
	 * causes.
	 */
	static boolean isBrokenHandshake(@Nullable Throwable failure) {
		return failure != null && (BROKEN_HANDSHAKE.contains(String.valueOf(failure.getMessage()))
				|| Arrays.stream(failure.getSuppressed()).anyMatch(RedisFailures::isBrokenHandshake)
				|| isBrokenHandshake(failure.getCause()));
	}

	/**
	 * Translate a failure.
	 * @param operation what was attempted
	 * @param redisKeys the key or keys, an empty text for the server itself
	 * @param setup where it can be repaired
	 * @param met whether Redis has ever answered there: what only a server of another
	 * kind says is an outage from then on
	 * @param failure what the driver said
	 * @return the exception of the kind that fits
	 */
	static LockStoreException translate(String operation, String redisKeys, RedisSetup setup, boolean met,
			Throwable failure) {
		String what = "Cannot " + operation + (redisKeys.isEmpty() ? "" : " '" + DisplayText.value(redisKeys) + "' in")
				+ " Redis" + (setup.server().isEmpty() ? "" : " at " + setup.server()) + ": ";
		if (failure instanceof ReplicasNotAcknowledgedException missing) {
			return new ReplicasNotAcknowledgedException(missing.getWanted(), missing.getAcknowledged(),
					what + missing.getMessage(), null);
		}
		Unsuitability unsuitable = lasting(failure);
		if (unsuitable != null) {
			return new LockStoreException(
					(met && unsuitable.mayFollowAnAnswer()) ? Kind.UNAVAILABLE : Kind.MISCONFIGURED,
					what + sentence(unsuitable.said(failure)) + unsuitable.advice(setup.node() != null), failure);
		}
		String said = RedisErrors.said(MISCONFIGURED, failure);
		return (said != null) ? new LockStoreException(Kind.MISCONFIGURED,
				what + sentence(FOREIGN.matcher(said).replaceFirst("it $2")) + remedy(said, setup, failure), failure)
				: new LockStoreException(Kind.UNAVAILABLE, what + RedisErrors.deepestMessage(failure), failure);
	}

	private static String sentence(@Nullable String said) {
		return said + ((said != null && said.endsWith(".")) ? " " : ". ");
	}

	/** Redis could not be asked everything. */
	static LockStoreException outage(RedisSetup setup, Throwable failure) {
		NodeIdentity node = setup.node();
		String server = (node != null) ? node.toString()
				: setup.server().isEmpty() ? "Redis" : "Redis at " + setup.server();
		String said = RedisErrors.deepestMessage(failure);
		return new LockStoreException(Kind.UNAVAILABLE, server + ((RedisErrors.said(ERROR, failure) != null)
				? " answered with an error (" + said + ')' : " does not answer (" + said + ')'), failure);
	}

	/**
	 * A lock of another kind lives where one was wanted.
	 * @param redisKey the key
	 * @param permits how many were asked for, or zero if it was not a semaphore
	 * @param foundPermits how many the other one has, or zero
	 * @return the exception
	 */
	static LockStoreException otherKind(String redisKey, int permits, long foundPermits) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot acquire '" + DisplayText.value(redisKey) + "' in Redis as " + describe(permits) + ": "
						+ describe(foundPermits)
						+ " lives under this key. Use one kind of lock and one number of permits for a key, "
						+ "or give one of the two a name of its own",
				null);
	}

	private static String describe(long permits) {
		return (permits > 0) ? "a semaphore of " + permits + " permits" : "a lock that is no semaphore";
	}

	/** Whether a server of the right kind has said that it will not, now or later. */
	static boolean isMisconfiguration(Throwable failure) {
		Unsuitability unsuitable = lasting(failure);
		return (unsuitable != null) ? !unsuitable.mayFollowAnAnswer()
				: RedisErrors.said(MISCONFIGURED, failure) != null;
	}

	private static @Nullable Unsuitability lasting(Throwable failure) {
		Unsuitability unsuitable = Unsuitability.of(failure);
		return (unsuitable != null && unsuitable.isLasting()) ? unsuitable : null;
	}

	private static String remedy(String said, RedisSetup setup, Throwable failure) {
		if (said.contains("LOCKFOREIGN") || said.contains("WRONGTYPE")) {
			return "Another program uses this key, or has damaged it: choose another distributed-lock.key-prefix or lock "
					+ "key, or delete it if that program does not need it";
		}
		if (said.contains("too short")) {
			return "The state of the lock is damaged: delete the key";
		}
		if (said.contains("LOCKVERSION")) {
			return "Stop the instances that use that version and delete the key, or choose another "
					+ "distributed-lock.key-prefix";
		}
		if (said.contains("LOCKKEYS")) {
			return "The command was changed on its way: connect to Redis without the proxy that changes commands";
		}
		if (said.contains("CROSSSLOT")) {
			return "The keys of one command are in different hash slots: let the connection factory know the cluster";
		}
		if (said.contains("NOAUTH") || said.contains("WRONGPASS") || said.contains("AUTH")
				|| said.contains("invalid password")) {
			return (RedisErrors.said(OF_SENTINEL, failure) != null)
					? "That is what Sentinel says: check spring.data.redis.sentinel.username and password"
					: "Check " + setup.login();
		}
		String named = RedisPermission.named(said);
		return "The Redis user needs " + setup.rulesWith((named != null) ? List.of(named) : List.of());
	}

}
