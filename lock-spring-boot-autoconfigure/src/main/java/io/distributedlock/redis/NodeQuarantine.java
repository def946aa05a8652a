package io.distributedlock.redis;

import java.time.Duration;
import java.util.Properties;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisServerCommands;

/**
 * Knows when a node has restarted, and so may have forgotten locks whose leases are still
 * good: until the longest of them would have run out it must not help another request to
 * a majority. Redis' page on distributed locks asks of the servers to stay away for that
 * time ("delayed restarts"); here the clients do without them. No node counts at once,
 * whatever its persistence is: its disk may be a new one.
 */
final class NodeQuarantine {

	private static final Log logger = LogFactory.getLog(NodeQuarantine.class);

	private final NodeIdentity node;

	private final Duration delay;

	private final LongSupplier nanos;

	private volatile @Nullable Start last;

	NodeQuarantine(NodeIdentity node, Duration delay, LongSupplier nanos) {
		this.node = node;
		this.delay = delay;
		this.nanos = nanos;
	}

	/** Ask a new connection, before anything else, whose it is. */
	void look(RedisConnection connection) {
		RedisServerCommands server = connection.serverCommands();
		if (this.delay.isZero()) {
			this.node.introduce(server);
			return;
		}
		Properties about = server.info("server");
		this.node.met(server, about);
		if (about == null || about.getProperty("uptime_in_seconds") == null) {
			throw new IllegalStateException("INFO does not say how long the server has been up");
		}
		Duration uptime = Duration.ofSeconds(Long.parseLong(about.getProperty("uptime_in_seconds")));
		boolean young = uptime.compareTo(this.delay) < 0;
		Start before = this.last;
		Start start = new Start(about.getProperty("run_id", ""), this.nanos.getAsLong() - uptime.toNanos(), young);
		this.last = start;
		if (young && (before == null || !before.runId().equals(start.runId()))) {
			logger.warn("Node " + this.node.address() + ' ' + reason(Duration.ZERO));
		}
	}

	/**
	 * Why the node does not count.
	 * @param ttl the lease that is wanted
	 * @return nothing if it counts
	 */
	@Nullable String reason(Duration ttl) {
		Start start = this.last;
		if (start == null || !start.young()) {
			return null;
		}
		Duration up = Duration.ofNanos(this.nanos.getAsLong() - start.nanos());
		Duration left = ((ttl.compareTo(this.delay) > 0) ? ttl : this.delay).minus(up);
		if (left.isNegative() || left.isZero()) {
			return null;
		}
		return ("restarted %d s ago and does not count for another %d s, since it may have forgotten locks that are "
				+ "still held (distributed-lock.redlock.restart-delay)")
			.formatted(up.toSeconds(), left.plusMillis(999).toSeconds());
	}

	/**
	 * A start of the server.
	 *
	 * @param runId what the server calls it
	 * @param nanos when it was, at the latest
	 * @param young whether it was not long ago when the server was asked
	 */
	private record Start(String runId, long nanos, boolean young) {
	}

}
