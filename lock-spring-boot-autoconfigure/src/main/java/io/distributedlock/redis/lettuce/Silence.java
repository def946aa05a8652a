package io.distributedlock.redis.lettuce;

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

	private final Function<byte[], String> nodes;

	private final LongSupplier nanos;

	private final ConcurrentMap<String, Since> silent = new ConcurrentHashMap<>();

	/**
	 * Create it.
	 * @param nodes the name of the node that has a key
	 * @param nanos the time
	 */
	Silence(Function<byte[], String> nodes, LongSupplier nanos) {
		this.nodes = nodes;
		this.nanos = nanos;
	}

	/**
	 * The node of a key answered.
	 * @return whether its connection had to be cut before
	 */
	boolean end(byte[] key) {
		if (this.silent.isEmpty()) {
			return false;
		}
		Since ended = this.silent.remove(this.nodes.apply(key));
		return ended != null && ended.cut();
	}

	/**
	 * A command for a key was given up.
	 * @return whether the connection to its node is to be cut now
	 */
	boolean lastsTooLong(byte[] key) {
		long now = this.nanos.getAsLong();
		String node = this.nodes.apply(key);
		Since since = this.silent.computeIfAbsent(node, (missing) -> new Since(now, false));
		return now - since.nanos() >= LONGEST_NANOS && this.silent.replace(node, since, new Since(now, true));
	}

	private record Since(long nanos, boolean cut) {
	}

}
