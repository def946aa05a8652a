package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Which node of a quorum this is, and which server it was when it was last connected to.
 * Of the nodes that are one server under several names, the one that was connected to
 * first has its vote. Thread-safe.
 * <p>
 * A server that has restarted may have forgotten locks whose leases are still good: until
 * the longest of them would have run out it must not help another request to a majority.
 * Redis' page on distributed locks asks of the servers to stay away for that time
 * ("delayed restarts"); here the clients do without them. No node counts at once,
 * whatever its persistence is: its disk may be a new one.
 */
final class NodeIdentity {

	private static final LockLog logger = LockLog.of(NodeIdentity.class);

	/**
	 * What servers draw at random when they start. What a proxy puts in its place need
	 * not be different from server to server.
	 */
	private static final Pattern RUN_ID = Pattern.compile("(?!(.)\\1+$)[0-9a-f]{40}");

	private final RedisNodeAddress address;

	private final int index;

	private final Duration restartDelay;

	private final LongSupplier nanos;

	/** Also the monitor of what they know of each other. */
	private final List<NodeIdentity> quorum;

	private volatile @Nullable String runId;

	private volatile @Nullable NodeIdentity twin;

	/** Which server this one is a replica of. */
	private volatile @Nullable String primary;

	private volatile @Nullable Start start;

	private NodeIdentity(RedisNodeAddress address, int index, Duration restartDelay, LongSupplier nanos,
			List<NodeIdentity> quorum) {
		this.address = address;
		this.index = index;
		this.restartDelay = restartDelay;
		this.nanos = nanos;
		this.quorum = quorum;
	}

	static List<NodeIdentity> of(List<RedisNodeAddress> addresses, Duration restartDelay, LongSupplier nanos) {
		List<NodeIdentity> quorum = new ArrayList<>(addresses.size());
		for (int i = 0; i < addresses.size(); i++) {
			quorum.add(new NodeIdentity(addresses.get(i), i, restartDelay, nanos, quorum));
		}
		return quorum;
	}

	RedisNodeAddress address() {
		return this.address;
	}

	/** Ask a new connection, before anything else, whose it is. */
	void look(RedisConnection connection) {
		Properties about = connection.serverCommands().info();
		met(about);
		if (about == null || about.getProperty("uptime_in_seconds") == null) {
			throw new IllegalStateException("INFO does not say how long the server has been up");
		}
		this.primary = "slave".equals(about.getProperty("role"))
				? about.getProperty("master_host") + ':' + about.getProperty("master_port") : null;
		Duration uptime = Duration.ofSeconds(Long.parseLong(about.getProperty("uptime_in_seconds")));
		Start before = this.start;
		Start now = new Start(about.getProperty("run_id", ""), this.nanos.getAsLong() - uptime.toNanos(),
				uptime.compareTo(this.restartDelay) < 0);
		this.start = now;
		if (now.young() && (before == null || !before.runId().equals(now.runId()))) {
			logger.warn("Node " + this.address + ' ' + quarantine(Duration.ZERO));
		}
	}

	/**
	 * A connection leads to a server.
	 * @param about what it says of itself
	 */
	void met(@Nullable Properties about) {
		String said = (about != null) ? about.getProperty("run_id", "") : "";
		String server = RUN_ID.matcher(said).matches() ? said : null;
		if (Objects.equals(server, this.runId)) {
			return;
		}
		synchronized (this.quorum) {
			this.runId = server;
			this.twin = voter();
			for (NodeIdentity other : this.quorum) {
				if (other.twin == this) {
					other.twin = other.voter();
				}
			}
		}
	}

	/** Another node that is the same server, and has its vote. */
	private @Nullable NodeIdentity voter() {
		String mine = this.runId;
		for (NodeIdentity other : this.quorum) {
			if (other != this && other.twin == null && mine != null && mine.equals(other.runId)) {
				return other;
			}
		}
		return null;
	}

	/**
	 * The node that has the vote of this server.
	 * @return another one, or nothing if it is this one, as far as is known
	 */
	@Nullable NodeIdentity twin() {
		return this.twin;
	}

	/**
	 * The server that this one is a replica of.
	 * @return host and port, or nothing if it is none, as far as is known
	 */
	@Nullable String primary() {
		return this.primary;
	}

	/**
	 * Why the node does not count after a restart.
	 * @param ttl the lease that is wanted
	 * @return nothing if it counts
	 */
	@Nullable String quarantine(Duration ttl) {
		Start last = this.start;
		if (last == null || !last.young()) {
			return null;
		}
		Duration up = Duration.ofNanos(this.nanos.getAsLong() - last.nanos());
		Duration left = ((ttl.compareTo(this.restartDelay) > 0) ? ttl : this.restartDelay).minus(up);
		if (left.isNegative() || left.isZero()) {
			return null;
		}
		return ("restarted %d s ago and does not count for another %d s, since it may have forgotten locks that are "
				+ "still held (distributed-lock.redlock.restart-delay)")
			.formatted(up.toSeconds(), left.plusMillis(999).toSeconds());
	}

	/** Where it is configured, and where it is. */
	@Override
	public String toString() {
		return "distributed-lock.redlock.nodes[%d], %s".formatted(this.index, this.address);
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
