package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.Gathering;
import io.distributedlock.redis.internal.driver.Refusals;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The server of a store, as its commands know it. It has the format of locks, the shared
 * locks, and the rule for keys of one script. A single server takes any keys; a cluster,
 * or a proxy that shards, takes keys of one slot. Such a proxy looks like a single server
 * until it gets several keys. Thread-safe.
 */
final class LockServer {

	private static final LockLog logger = LockLog.of(LockServer.class);

	/**
	 * Name of a key that never exists: in the key of a lock a percent sign begins an
	 * escape.
	 */
	private static final String ABSENT = "%absent";

	final WireFormat format;

	final SharedLocks shared = new SharedLocks();

	final RefusedKeys refused = new RefusedKeys(System::nanoTime);

	private final RedisSetup setup;

	/** Null outside a cluster. */
	final @Nullable ClusterNodes cluster;

	private volatile boolean slots;

	/** The way of short scripts to go as one; {@code null} if each always goes alone. */
	final @Nullable Gathering gathering;

	/** Set once Redis has answered. */
	volatile boolean met;

	/** Time of the last answer of the only server, initially of the creation. */
	volatile long answeredAt = System.nanoTime();

	/**
	 * Create a server.
	 * @param gathers {@code true} if requests for different locks may go as one call to a
	 * single server
	 */
	LockServer(WireFormat format, RedisSetup setup, @Nullable ClusterNodes cluster, boolean gathers) {
		this.format = format;
		this.setup = setup;
		this.cluster = cluster;
		this.slots = cluster != null;
		this.gathering = (gathers && !this.slots)
				? new Gathering(LockScript.GATHER.script, WireFormat.utf8(format.prefix + ABSENT), this::slotsFound)
				: null;
	}

	/** Return whether all keys of a script must have the same slot. */
	boolean hasSlots() {
		return this.slots;
	}

	/**
	 * Return the arguments of {@code renew.lua}, and add sets of holders to the keys.
	 * @param sets {@code true} for the set of each lock, {@code false} only for those
	 * that are likely in use
	 */
	byte[][] renewals(List<RenewCommand> commands, boolean sets, List<byte[]> keys) {
		byte[][] renewals = new byte[1 + commands.size()][];
		for (int i = 0; i < commands.size(); i++) {
			RenewCommand command = commands.get(i);
			boolean shared = sets || this.shared.isLikely(command.request());
			if (shared) {
				keys.add(this.format.set("holders", command.key()));
			}
			renewals[1 + i] = WireFormat.renewal(command.request(), command.ttl(), command.marks(),
					shared ? keys.size() : 0);
		}
		renewals[0] = this.format.renewals(commands.size(), keys.size());
		return renewals;
	}

	/** As {@link io.distributedlock.store.StoreMonitor#sinceLastAnswer()}. */
	Map<String, Duration> sinceLastAnswer() {
		if (this.cluster != null) {
			return this.cluster.sinceLastAnswer();
		}
		String server = this.setup.server();
		return Map.of(server.isEmpty() ? "redis" : server,
				Duration.ofNanos(Math.max(0, System.nanoTime() - this.answeredAt)));
	}

	/** The server of the locks, for messages. */
	String place() {
		return place(this.setup);
	}

	/** The server of a lock, for messages. */
	String place(LockKey key) {
		return place(setupOf(key));
	}

	private static String place(RedisSetup setup) {
		return "Redis" + (setup.server().isEmpty() ? "" : " at " + setup.server());
	}

	boolean takesTogether(List<LockKey> locks) {
		return !this.slots || ClusterSlotHashUtil.isSameSlotForAllKeys(this.format.keys(locks, false));
	}

	/**
	 * Return the keys of one request in parts, each for a command of its own. Keys that
	 * were refused before are alone; if the slots differ, all are.
	 */
	List<List<LockKey>> parts(List<LockKey> locks) {
		if (!takesTogether(locks)) {
			return locks.stream().map(List::of).toList();
		}
		List<LockKey> others = locks.stream().filter((key) -> !this.refused.contains(key)).toList();
		if (others.size() == locks.size()) {
			return List.of(locks);
		}
		List<List<LockKey>> parts = new ArrayList<>(others.isEmpty() ? List.of() : List.of(others));
		locks.stream().filter(this.refused::contains).forEach((key) -> parts.add(List.of(key)));
		return parts;
	}

	/** Note a failure that may come from a change of the cluster. */
	void suspect() {
		if (this.cluster != null) {
			this.cluster.failed();
		}
	}

	/**
	 * Note the failure of a script, which may show that its keys are in different slots.
	 */
	void failed(Throwable failure) {
		if (!this.slots && Refusals.isCrossSlot(failure)) {
			slotsFound();
		}
	}

	private synchronized void slotsFound() {
		if (this.slots) {
			return;
		}
		this.slots = true;
		if (this.gathering != null) {
			this.gathering.end();
		}
		logger.info(place() + " takes no scripts with keys of different hash slots, as a proxy that shards: "
				+ "locks are renewed one by one, and several keys of one request are taken one after the other");
	}

	/**
	 * Return the exception for a failed script.
	 * @param keys the keys of the script
	 * @param locks the number of keys, from the first, that the message names, unless the
	 * failure names one itself
	 */
	LockStoreException translated(LockScript script, byte[][] keys, int locks, Throwable failure) {
		int foreign = RedisFailures.foreign(failure);
		Stream<byte[]> named = (foreign < 0) ? Stream.of(keys).limit(script.hasLock() ? locks : 0)
				: Stream.of(keys[foreign]);
		String names = named.map((key) -> new String(key, StandardCharsets.UTF_8)).collect(Collectors.joining(", "));
		return RedisFailures.translate(script.operation, names, setupOf(keys[0]), this.met, failure);
	}

	/** The setup that messages name for a key: on a cluster, that of its node. */
	RedisSetup setupOf(LockKey key) {
		return setupOf(this.format.hash(key));
	}

	RedisSetup setupOf(byte[] key) {
		String node = (this.cluster != null) ? this.cluster.masterOf(key) : "";
		return node.isEmpty() ? this.setup : this.setup.at(node);
	}

}
