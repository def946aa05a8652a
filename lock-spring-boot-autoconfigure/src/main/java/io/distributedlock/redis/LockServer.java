package io.distributedlock.redis;

import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.LockKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The server of a store, as its commands know it: where the locks are there, and which
 * keys may go into one script. These are all keys on a single server, and those of one
 * slot on a cluster or behind a proxy that shards, which looks like a single server until
 * it is asked for several keys. Thread-safe.
 */
final class LockServer {

	private static final Log logger = LogFactory.getLog(LockServer.class);

	private final LockKeys keys;

	private final RedisSetup setup;

	/** Null outside a cluster. */
	private final @Nullable ClusterNodes cluster;

	private volatile boolean slots;

	/** Whether Redis has ever answered. */
	volatile boolean met;

	LockServer(LockKeys keys, RedisSetup setup, @Nullable ClusterNodes cluster) {
		this.keys = keys;
		this.setup = setup;
		this.cluster = cluster;
		this.slots = cluster != null;
	}

	LockKeys keys() {
		return this.keys;
	}

	/** Whether keys of different slots may not go into one script. */
	boolean hasSlots() {
		return this.slots;
	}

	boolean takesTogether(List<LockKey> locks) {
		return !this.slots || ClusterSlotHashUtil.isSameSlotForAllKeys(this.keys.hashes(locks));
	}

	/** A node of the cluster did not do what it should. */
	void suspect() {
		if (this.cluster != null) {
			this.cluster.failed();
		}
	}

	/** A script has failed, maybe since its keys are in different slots. */
	void failed(Throwable failure) {
		if (!this.slots && RedisFailures.isCrossSlot(failure)) {
			this.slots = true;
			logger.info("Redis%s takes no scripts with keys of different hash slots, as a proxy that shards: "
				.formatted(this.setup.server().isEmpty() ? "" : " at " + this.setup.server())
					+ "locks are renewed one by one, and several keys of one request are taken one after the other");
		}
	}

	LockStoreException translated(String operation, List<LockKey> locks, Throwable failure) {
		String names = locks.stream().map(this.keys::name).collect(Collectors.joining(", "));
		return RedisFailures.translate(operation, names, setupOf(locks.get(0)), this.met, failure);
	}

	/** The setup that messages name for a key: on a cluster, that of its node. */
	RedisSetup setupOf(LockKey key) {
		String node = (this.cluster != null) ? this.cluster.masterOf(this.keys.hash(key)) : "";
		return node.isEmpty() ? this.setup : this.setup.at(node);
	}

}
