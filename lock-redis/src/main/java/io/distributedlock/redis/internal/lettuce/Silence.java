package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Nodes that have not answered since a command to them was given up. A connection to such
 * a node may be dead without any error. Thread-safe.
 */
final class Silence {

	/** Longer than a usual pause of a server: a needless cut costs a reconnect. */
	private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

	private final Function<byte[], String> nodeOf;

	private final LongSupplier nanos;

	/** The nodes that have not answered. */
	final ConcurrentMap<String, Since> nodes = new ConcurrentHashMap<>();

	/**
	 * Create an empty instance.
	 * @param nodeOf returns the name of the node that has a key
	 * @param nanos the time
	 */
	Silence(Function<byte[], String> nodeOf, LongSupplier nanos) {
		this.nodeOf = nodeOf;
		this.nanos = nanos;
	}

	/**
	 * Note that the node of a key has answered.
	 * @return {@code true} if its connection was cut before
	 */
	boolean end(byte[] key) {
		Since ended = this.nodes.remove(this.nodeOf.apply(key));
		return ended != null && ended.cut();
	}

	/**
	 * Note that a command for a key was given up.
	 * @return {@code true} if the connection to its node is to be cut now
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
