package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The server of a store, as its commands know it: how locks are written there, which of
 * them are shared, and which keys may go into one script. These are all keys on a single
 * server, and those of one slot on a cluster or behind a proxy that shards, which looks
 * like a single server until it is asked for several keys. Thread-safe.
 */
final class LockServer {

	private static final LockLog logger = LockLog.of(LockServer.class);

	private static final int PARTS = 4;

	final WireFormat format;

	final SharedLocks shared = new SharedLocks();

	final RefusedKeys refused = new RefusedKeys(System::nanoTime);

	private final RedisSetup setup;

	/** Null outside a cluster. */
	final @Nullable ClusterNodes cluster;

	private volatile boolean slots;

	/** What makes one call of several for locks alone, if they may go together. */
	volatile ScriptCall.@Nullable Gathering gathering;

	/** Whether Redis has ever answered. */
	volatile boolean met;

	/** When the only server has answered last; at first when this was made. */
	volatile long answeredAt = System.nanoTime();

	/**
	 * Create it.
	 * @param gathers whether requests for different locks may go as one call where that
	 * is one server
	 */
	LockServer(WireFormat format, RedisSetup setup, @Nullable ClusterNodes cluster, boolean gathers) {
		this.format = format;
		this.setup = setup;
		this.cluster = cluster;
		this.slots = cluster != null;
		this.gathering = (gathers && !this.slots) ? (calls) -> GatheredCall.of(this, calls) : null;
	}

	/** Whether keys of different slots may not go into one script. */
	boolean hasSlots() {
		return this.slots;
	}

	/**
	 * The arguments that extend leases.
	 * @param sets whether all have their sorted sets of holders, which are added to the
	 * keys
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

	/** Where the locks are kept, for messages. */
	String place() {
		return place(this.setup);
	}

	/** Where a lock is kept, for messages. */
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
	 * The parts into which a command for several keys is divided that was refused:
	 * quarters, which find one key of many in half the rounds of halves, and with as many
	 * commands. Where keys may not be together, each is alone.
	 */
	static <T> List<List<T>> divided(List<T> whole, Throwable refusal) {
		int count = whole.size();
		boolean apart = RedisFailures.isCrossSlot(refusal) || RedisFailures.isTryAgain(refusal);
		int parts = apart ? count : Math.min(PARTS, count);
		return IntStream.range(0, parts)
			.mapToObj((i) -> whole.subList(i * count / parts, (i + 1) * count / parts))
			.toList();
	}

	/**
	 * The parts of the keys of one request that go by commands of their own: those that
	 * were refused are alone, and so are all where their slots differ.
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
			this.gathering = null;
			logger.info(place() + " takes no scripts with keys of different hash slots, as a proxy that shards: "
					+ "locks are renewed one by one, and several keys of one request are taken one after the other");
		}
	}

	/**
	 * What went wrong with a script.
	 * @param keys its keys
	 * @param locks how many of the first ones messages name if people know them, where it
	 * is not known which one is the cause
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
