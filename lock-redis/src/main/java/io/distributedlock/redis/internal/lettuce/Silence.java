package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Which nodes have not answered since a command to them was given up. A connection to
 * such a node may be dead without anything having been said. Thread-safe.
 */
final class Silence {

	/**
	 * Longer than a usual pause of a server. A connection that is cut without need costs
	 * a reconnect.
	 */
	private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

	private final Function<byte[], String> nodeOf;

	private final LongSupplier nanos;

	/** Those that have not answered. */
	final ConcurrentMap<String, Since> nodes = new ConcurrentHashMap<>();

	/**
	 * Create it.
	 * @param nodeOf the name of the node that has a key
	 * @param nanos the time
	 */
	Silence(Function<byte[], String> nodeOf, LongSupplier nanos) {
		this.nodeOf = nodeOf;
		this.nanos = nanos;
	}

	/**
	 * The node of a key answered.
	 * @return whether its connection had to be cut before
	 */
	boolean end(byte[] key) {
		Since ended = this.nodes.remove(this.nodeOf.apply(key));
		return ended != null && ended.cut();
	}

	/**
	 * A command for a key was given up.
	 * @return whether the connection to its node is to be cut now
	 */
	boolean lastsTooLong(byte[] key) {
		long now = this.nanos.getAsLong();
		String node = this.nodeOf.apply(key);
		Since since = this.nodes.computeIfAbsent(node, (missing) -> new Since(now, false));
		return now - since.nanos() >= LONGEST_NANOS && this.nodes.replace(node, since, new Since(now, true));
	}

	record Since(long nanos, boolean cut) {
	}

}
