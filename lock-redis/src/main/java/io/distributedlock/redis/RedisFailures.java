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
 * Translates a failed command into an exception that names the remedy.
 */
final class RedisFailures {

	private static final String LOGIN = "(NOAUTH|WRONGPASS|AUTH|Client sent AUTH|invalid password)\\b";

	private static final String DAMAGED = "(bad argument #\\d to 'unpack' \\()?data string too short\\b";

	private static final Pattern MISCONFIGURED = RedisErrors
		.starting("(WRONGTYPE|CROSSSLOT|LOCKVERSION|LOCKKEYS|LOCKFOREIGN)\\b|%s|%s|%s".formatted(LOGIN, DAMAGED,
				RedisErrors.REFUSAL));

	/** Error of {@code foreign.lua}: the number of the key, from 1, and its content. */
	private static final Pattern FOREIGN = Pattern.compile("^LOCKFOREIGN (\\d+) (.*)");

	/** The beginning of a server's error, as opposed to that of a TLS library. */
	private static final Pattern ERROR = Pattern.compile("^(?!PKIX|SSL|TLS)[A-Z]{3,} ");

	/** Text of Lettuce, also used by {@code JedisSentinelConnections}. */
	private static final Pattern OF_SENTINEL = Pattern.compile("^Cannot connect (to a )?Redis Sentinel\\b");

	/** Texts of Lettuce. */
	private static final Set<String> BROKEN_HANDSHAKE = Set.of("Connection closed prematurely",
			"RedisHandshakeHandler not registered");

	private RedisFailures() {
	}

	/** Return the index of the key with a foreign value, or -1. */
	static int foreign(Throwable failure) {
		String said = RedisErrors.said(FOREIGN, failure);
		Matcher matcher = FOREIGN.matcher((said != null) ? said : "");
		return matcher.find() ? Integer.parseInt(matcher.group(1)) - 1 : -1;
	}

	/** Return whether a cluster says that it does not work at present. */
	static boolean isClusterDown(Throwable failure) {
		return RedisErrors.says(failure, "CLUSTERDOWN");
	}

	/**
	 * Return whether a connection of Lettuce was closed before its set-up began or was
	 * complete. The failures of a cluster's nodes are suppressed exceptions; one such
	 * node is enough.
	 */
	static boolean isBrokenHandshake(@Nullable Throwable failure) {
		return failure != null && (BROKEN_HANDSHAKE.contains(String.valueOf(failure.getMessage()))
				|| Arrays.stream(failure.getSuppressed()).anyMatch(RedisFailures::isBrokenHandshake)
				|| isBrokenHandshake(failure.getCause()));
	}

	/**
	 * Translate a failure.
	 * @param operation the action that failed
	 * @param redisKeys the key or keys, an empty text for the server itself
	 * @param setup the configuration that the remedy names
	 * @param met {@code true} if Redis has answered there before: an error that another
	 * kind of server gives is an outage then
	 * @param failure the failure of the driver
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

	/** Return the exception for a check that could not ask Redis everything. */
	static LockStoreException outage(RedisSetup setup, Throwable failure) {
		NodeIdentity node = setup.node();
		String server = (node != null) ? node.toString()
				: setup.server().isEmpty() ? "Redis" : "Redis at " + setup.server();
		String said = RedisErrors.deepestMessage(failure);
		return new LockStoreException(Kind.UNAVAILABLE, server + ((RedisErrors.said(ERROR, failure) != null)
				? " answered with an error (" + said + ')' : " does not answer (" + said + ')'), failure);
	}

	/**
	 * Return the exception for a key where a lock of another kind lives.
	 * @param redisKey the key
	 * @param permits the permits of the wanted semaphore, or zero for another mode
	 * @param foundPermits the permits of the semaphore under this key, or zero
	 * @return the exception
	 */
	static LockStoreException otherKind(String redisKey, int permits, long foundPermits) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot acquire '" + DisplayText.value(redisKey) + "' in Redis as " + describe(permits) + ": "
						+ describe(foundPermits)
						+ " lives under this key. Use one kind of lock and one number of permits for a key, "
						+ "or give one of the two a name of its own"
						+ ((permits == 0) ? ". setPermits(…, 0) removes a number that was set" : ""),
				null);
	}

	/** Return the exception for a request of more permits than were set for all. */
	static LockStoreException tooFew(String redisKey, int taken, long permits) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot acquire %d permits of '%s' in Redis: setPermits has set its number to %d. Take fewer, or set a larger number"
					.formatted(taken, DisplayText.value(redisKey), permits),
				null);
	}

	/** Return the exception for a number of permits of a lock that is no semaphore. */
	static LockStoreException noSemaphore(String redisKey) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot set the number of permits of '%s' in Redis: it is in use as a lock that is no semaphore. Use a key or a name of its own"
					.formatted(DisplayText.value(redisKey)),
				null);
	}

	private static String describe(long permits) {
		return (permits > 0) ? "a semaphore of " + permits + " permits" : "a lock that is no semaphore";
	}

	/** Return whether a server of the right kind refuses for good. */
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
		if (begins(said, "(LOCKFOREIGN|WRONGTYPE)\\b")) {
			return "Another program uses this key, or has damaged it: choose another distributed-lock.key-prefix or lock "
					+ "key, or delete it if that program does not need it";
		}
		if (begins(said, DAMAGED)) {
			return "The state of the lock is damaged: delete the key";
		}
		if (begins(said, "LOCKVERSION\\b")) {
			return "Stop the instances that use that version and delete the key, or choose another "
					+ "distributed-lock.key-prefix";
		}
		if (begins(said, "LOCKKEYS\\b")) {
			return "The command was changed on its way: connect to Redis without the proxy that changes commands";
		}
		if (begins(said, "CROSSSLOT\\b")) {
			return "The keys of one command are in different hash slots: let the connection factory know the cluster";
		}
		if (begins(said, LOGIN)) {
			return (RedisErrors.said(OF_SENTINEL, failure) != null)
					? "The Sentinel says so: check spring.data.redis.sentinel.username and password"
					: "Check " + setup.login();
		}
		String named = RedisPermission.named(said);
		return "The Redis user needs " + setup.rulesWith((named != null) ? List.of(named) : List.of());
	}

	private static boolean begins(String said, String codes) {
		return RedisErrors.starting(codes).matcher(said).find();
	}

}
