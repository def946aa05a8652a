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
 * Identity of a quorum node: its number, its address, and the server to which the last
 * connection led. If several nodes are one server under several names, the first
 * connected one has its vote. Thread-safe.
 * <p>
 * A restarted server may have forgotten locks whose leases still run. Until the longest
 * of them has expired, it must not help another request to a majority. Redis' page on
 * distributed locks keeps such servers away for that time ("delayed restarts"); here the
 * clients do not count them. The delay does not depend on the persistence of the server:
 * its disk may be a new one.
 */
final class NodeIdentity {

	private static final LockLog logger = LockLog.of(NodeIdentity.class);

	/**
	 * Random id that a server draws when it starts. A proxy may send another text for
	 * several servers, such as zeros, which does not match.
	 */
	private static final Pattern RUN_ID = Pattern.compile("(?!(.)\\1+$)[0-9a-f]{40}");

	private final RedisNodeAddress address;

	private final int index;

	private final Duration restartDelay;

	private final LongSupplier nanos;

	/** The nodes, and the monitor under which {@code runId} and {@code twin} change. */
	private final List<NodeIdentity> quorum;

	private volatile @Nullable String runId;

	private volatile @Nullable NodeIdentity twin;

	/** The primary if this server is a replica. */
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

	/** Identify the server of a new connection, before any other command. */
	void look(RedisConnection connection) {
		Properties about = connection.serverCommands().info();
		met(about);
		this.primary = (about != null && "slave".equals(about.getProperty("role")))
				? about.getProperty("master_host") + ':' + about.getProperty("master_port") : null;
		String seconds = (about != null) ? about.getProperty("uptime_in_seconds") : null;
		if (about == null || seconds == null) {
			if (this.restartDelay.isZero()) {
				return;
			}
			throw new IllegalStateException("LOCKUPTIME INFO does not say how long the server has been up");
		}
		Duration uptime = Duration.ofSeconds(Long.parseLong(seconds));
		Start before = this.start;
		Start now = new Start(about.getProperty("run_id", ""), this.nanos.getAsLong() - uptime.toNanos(),
				uptime.compareTo(this.restartDelay) < 0);
		this.start = now;
		if (now.young() && (before == null || !before.runId().equals(now.runId()))) {
			logger.warn("Node " + this.address + ' ' + quarantine(Duration.ZERO));
		}
	}

	/**
	 * Note the server to which a connection leads.
	 * @param about the server's answer to INFO
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

	/** Return another node that is the same server, and has its vote. */
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
	 * The other node that has the vote of this server.
	 * @return the node, or {@code null} if it is this one, as far as is known
	 */
	@Nullable NodeIdentity twin() {
		return this.twin;
	}

	/**
	 * The server that this one is a replica of.
	 * @return host and port, or {@code null} if it is no replica, as far as is known
	 */
	@Nullable String primary() {
		return this.primary;
	}

	/**
	 * The reason why the node does not count after a restart.
	 * @param ttl the lease that is wanted
	 * @return the reason, or {@code null} if the node counts
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

	/** The property that configures the node, and its address. */
	@Override
	public String toString() {
		return "distributed-lock.redlock.nodes[%d], %s".formatted(this.index, this.address);
	}

	/**
	 * A start of the server.
	 *
	 * @param runId the server's id for this start
	 * @param nanos the time of the start, at the latest
	 * @param young {@code true} if that was not long ago when the server was asked
	 */
	private record Start(String runId, long nanos, boolean young) {
	}

}
