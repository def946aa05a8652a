package io.distributedlock.redis;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Which keys may go into one script. All of them on a server, those of one slot on a
 * cluster and behind a proxy that shards. A proxy looks like a server until it refuses a
 * script, so the plan changes then. Thread-safe.
 */
final class KeyPlan {

	private static final Log logger = LogFactory.getLog(KeyPlan.class);

	private final String server;

	private volatile boolean bySlot;

	/**
	 * Create a plan.
	 * @param cluster whether this is known to be one
	 * @param server host and port if there is one address, for messages
	 */
	KeyPlan(boolean cluster, String server) {
		this.bySlot = cluster;
		this.server = server;
	}

	boolean isBySlot() {
		return this.bySlot;
	}

	boolean takesTogether(byte[][] keys) {
		return !this.bySlot || ClusterSlotHashUtil.isSameSlotForAllKeys(keys);
	}

	/**
	 * A script has failed.
	 * @param failure what the server or the driver said
	 */
	void failed(Throwable failure) {
		if (!this.bySlot && RedisFailures.isCrossSlot(failure)) {
			this.bySlot = true;
			logger.info(("Redis %s takes no scripts with keys of different hash slots, as a proxy that shards: locks are "
					+ "renewed one by one, and several keys of one request are taken one after the other")
				.formatted(this.server));
		}
	}

}
