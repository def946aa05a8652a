package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisServerCommands;

/**
 * Which node of a quorum this is, and which server it was when it was last connected to.
 * Of the nodes that are one server under several names, the one that was connected to
 * first has its vote. Thread-safe.
 */
final class NodeIdentity {

	private static final Log logger = LogFactory.getLog(NodeIdentity.class);

	/**
	 * What servers draw at random when they start. What a proxy puts in its place need
	 * not be different from server to server.
	 */
	private static final Pattern RUN_ID = Pattern.compile("(?!(.)\\1+$)[0-9a-f]{40}");

	private final RedisNodeAddress address;

	private final int index;

	/** Also the monitor of what they know of each other. */
	private final List<NodeIdentity> quorum;

	private volatile @Nullable String runId;

	private volatile @Nullable NodeIdentity twin;

	/** Which server this one was a replica of when it was met. */
	private volatile @Nullable String primary;

	private volatile boolean introduced;

	private NodeIdentity(RedisNodeAddress address, int index, List<NodeIdentity> quorum) {
		this.address = address;
		this.index = index;
		this.quorum = quorum;
	}

	static List<NodeIdentity> of(List<RedisNodeAddress> addresses) {
		List<NodeIdentity> quorum = new ArrayList<>(addresses.size());
		for (int i = 0; i < addresses.size(); i++) {
			quorum.add(new NodeIdentity(addresses.get(i), i, quorum));
		}
		return quorum;
	}

	RedisNodeAddress address() {
		return this.address;
	}

	/**
	 * Ask at the first contact only, where the server is asked nothing else. It may
	 * refuse, since nothing depends on it there.
	 */
	void introduce(RedisServerCommands server) {
		if (this.introduced) {
			return;
		}
		try {
			met(server, server.info("server"));
		}
		catch (RuntimeException ex) {
			if (!RedisFailures.isMisconfiguration(ex)) {
				throw ex;
			}
			logger.debug("It is unknown whether " + this + " is the same server as another node", ex);
		}
		this.introduced = true;
	}

	/** Ask a server that was not known yet whether it is a replica. */
	void met(RedisServerCommands server, @Nullable Properties about) {
		if (!Objects.equals(runId(about), this.runId)) {
			this.primary = primary(server);
		}
		met(about);
	}

	/** A user may be allowed to ask for less, and does not have to know it. */
	private @Nullable String primary(RedisServerCommands server) {
		try {
			return primary(server.info("replication"));
		}
		catch (RuntimeException ex) {
			if (!RedisFailures.isMisconfiguration(ex)) {
				throw ex;
			}
			logger.debug("It is unknown whether " + this + " is a replica", ex);
			return null;
		}
	}

	private static @Nullable String primary(@Nullable Properties replication) {
		return (replication != null && "slave".equals(replication.getProperty("role")))
				? replication.getProperty("master_host") + ':' + replication.getProperty("master_port") : null;
	}

	private static @Nullable String runId(@Nullable Properties about) {
		String said = (about != null) ? about.getProperty("run_id", "") : "";
		return RUN_ID.matcher(said).matches() ? said : null;
	}

	/**
	 * A connection leads to a server.
	 * @param about what it says of itself
	 */
	void met(@Nullable Properties about) {
		String server = runId(about);
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

	/** Where it is configured, and where it is. */
	@Override
	public String toString() {
		return "distributed-lock.redlock.nodes[%d], %s".formatted(this.index, this.address);
	}

}
