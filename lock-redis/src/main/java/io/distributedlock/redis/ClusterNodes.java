package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.store.LockKey;
import io.distributedlock.text.LockLog;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The master of each slot of a cluster, as the driver knew it when it was asked last. It
 * is asked now and then, soon after a failed command, and for each look at the nodes.
 * That is enough to keep commands for one node from waiting for another one. Commands are
 * routed by the driver, not from here.
 */
final class ClusterNodes implements AutoCloseable {

	private static final LockLog logger = LockLog.of(ClusterNodes.class);

	private static final long OLD_NANOS = Duration.ofSeconds(30).toNanos();

	private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

	/** Limit of the search: a master with very few slots may be left out. */
	private static final int MOST_KEYS = 100_000;

	private final RedisConnectionFactory factory;

	/** Asks the driver, which may block. */
	private final ThreadPoolExecutor thread = DaemonThreads.pool("redis-cluster", 1);

	private final AtomicBoolean reading = new AtomicBoolean();

	private volatile String[] masters = new String[ClusterSlotHashUtil.SLOT_COUNT];

	private volatile long readAt = System.nanoTime();

	/** Set if the user was not allowed to ask at the last reading. */
	private volatile boolean refused;

	private final LastAnswers answers = new LastAnswers();

	ClusterNodes(RedisConnectionFactory factory) {
		this.factory = factory;
		Arrays.fill(this.masters, "");
	}

	/**
	 * Return the name of the master that has a key, or an empty text if it is unknown.
	 */
	String masterOf(byte[] key) {
		readAfter(OLD_NANOS);
		return this.masters[ClusterSlotHashUtil.calculateSlot(key)];
	}

	/** Note that the master that has the key of a lock has answered. */
	void answered(LockKey lock, byte[] key, long now) {
		if (this.answers.isDue(lock.hashCode(), now)) {
			String master = masterOf(key);
			if (!master.isEmpty()) {
				this.answers.answered(master, now);
			}
		}
	}

	/** Return the time since the last answer of each known master. */
	Map<String, Duration> sinceLastAnswer() {
		return this.answers.since(Stream.of(this.masters).filter((master) -> !master.isEmpty()).distinct());
	}

	/**
	 * Return a key for each known master. The driver is asked again for the next call, so
	 * that a change shows although no command fails. Jedis asks the cluster then. Lettuce
	 * answers from its own last refresh, so a fail-over shows after the next one.
	 * @param prefix the beginning of the keys
	 */
	Map<String, byte[]> keys(String prefix) {
		readAfter(SHORTEST_PAUSE_NANOS);
		String[] known = this.masters;
		long wanted = Arrays.stream(known).filter((master) -> !master.isEmpty()).distinct().count();
		Map<String, byte[]> keys = new TreeMap<>();
		for (int i = 0; keys.size() < wanted && i < MOST_KEYS; i++) {
			byte[] key = (prefix + i).getBytes(StandardCharsets.UTF_8);
			String master = known[ClusterSlotHashUtil.calculateSlot(key)];
			if (!master.isEmpty()) {
				keys.putIfAbsent(master, key);
			}
		}
		return keys;
	}

	/** Read the slots again: the slot of a failed command may have moved. */
	void failed() {
		readAfter(SHORTEST_PAUSE_NANOS);
	}

	/**
	 * Read the slots if the last reading is older. Without the permission that is seldom,
	 * since each node logs a refusal.
	 */
	private void readAfter(long nanos) {
		if (System.nanoTime() - this.readAt >= (this.refused ? OLD_NANOS : nanos)) {
			read();
		}
	}

	/** Ask the driver soon, on a thread of its own. */
	void read() {
		if (this.reading.compareAndSet(false, true)) {
			try {
				this.thread.execute(this::tryToRead);
			}
			catch (RejectedExecutionException ignored) {
				// Closed.
			}
		}
	}

	private void tryToRead() {
		try {
			readNow();
		}
		catch (RuntimeException ex) {
			this.refused = RedisErrors.refusal(ex) != null;
			logger.debug("The cluster did not say who has which slot", ex);
		}
		finally {
			this.reading.set(false);
		}
	}

	/** Ask the driver. Blocks, and fails if the driver cannot find out. */
	void readNow() {
		try (RedisClusterConnection connection = this.factory.getClusterConnection()) {
			String[] current = new String[ClusterSlotHashUtil.SLOT_COUNT];
			Arrays.fill(current, "");
			Set<String> names = new HashSet<>();
			for (RedisClusterNode node : connection.clusterGetNodes()) {
				if (node.isMaster()) {
					String name = node.asString();
					names.add(name);
					for (int slot : node.getSlotRange().getSlotsArray()) {
						current[slot] = name;
					}
				}
			}
			this.masters = current;
			this.answers.retain(names);
			this.refused = false;
		}
		finally {
			this.readAt = System.nanoTime();
		}
	}

	/** Close, and wait a moment for the driver if it is being asked. */
	@Override
	public void close() {
		DaemonThreads.end(this.thread);
		DaemonThreads.awaitEnd(this.thread);
	}

}
