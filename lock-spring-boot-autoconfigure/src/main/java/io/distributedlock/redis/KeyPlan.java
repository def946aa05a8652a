package io.distributedlock.redis;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Which keys may go into one script: all of them on a server, those of one slot on a
 * cluster, and behind a proxy those of one slot or none. A proxy looks like a server
 * until it is asked for several keys, so the plan may change. Thread-safe.
 */
final class KeyPlan {

	private static final Log logger = LogFactory.getLog(KeyPlan.class);

	private final String server;

	private volatile Together together;

	/**
	 * Create a plan.
	 * @param cluster whether this is known to be one
	 * @param server host and port if there is one address, for messages
	 */
	KeyPlan(boolean cluster, String server) {
		this.together = cluster ? Together.ONE_SLOT : Together.ALL;
		this.server = server;
	}

	boolean takesAllTogether() {
		return this.together == Together.ALL;
	}

	boolean takesTogether(byte[][] keys) {
		return switch (this.together) {
			case ALL -> true;
			case ONE_SLOT -> ClusterSlotHashUtil.isSameSlotForAllKeys(keys);
			case NONE -> keys.length == 1;
		};
	}

	/**
	 * A script has failed.
	 * @param failure what the server or the driver said
	 */
	void failed(Throwable failure) {
		if (takesAllTogether() && RedisFailures.isCrossSlot(failure)) {
			this.together = Together.ONE_SLOT;
			logger
				.info(("Redis %s takes no scripts with keys of different hash slots, as a proxy that shards: locks are "
						+ "renewed one by one, and several keys of one request are taken one after the other")
					.formatted(this.server));
		}
	}

	/** Keys are on servers that do not know of each other. */
	void scattered() {
		this.together = Together.NONE;
		logger.warn(("Redis %s is a proxy that spreads keys over servers that do not know of each other: locks are "
				+ "renewed one by one, and several keys of one request are taken one after the other, and only exclusive locks can be had. If it moves "
				+ "keys when a server fails, a lock may have two holders")
			.formatted(this.server));
	}

	/** Locks that are shared or queued for have several keys each. */
	boolean refuses(LockMode mode) {
		return this.together == Together.NONE && mode != LockMode.EXCLUSIVE;
	}

	/** Why a lock is refused. */
	LockStoreException refusal(LockMode mode, String redisKeys) {
		return new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
				("Cannot acquire '%s' in Redis%s in the mode %s: a proxy spreads keys over servers that do not know of each "
						+ "other, and locks of this mode have several keys. Use exclusive locks, or connect without the proxy")
					.formatted(redisKeys, this.server.isEmpty() ? "" : " at " + this.server, mode),
				null);
	}

	/** What may go into one script. */
	private enum Together {

		ALL, ONE_SLOT, NONE

	}

}
