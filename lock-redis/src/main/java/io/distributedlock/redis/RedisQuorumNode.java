package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.lettuce.LettuceNodeConnections;
import io.distributedlock.redis.internal.lettuce.LettuceNodes;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import org.jspecify.annotations.Nullable;

/**
 * An independent Redis server as one node of a quorum, with Lettuce connections of its
 * own. While it may have forgotten locks after a restart, it grants none and is
 * {@code UNAVAILABLE}. A node that is the same server as another one grants none either.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisQuorumNode extends RedisLockStore implements QuorumNode {

	private final NodeIdentity identity;

	private final LettuceNodeConnections connections;

	RedisQuorumNode(NodeIdentity identity, RedisStoreSettings settings, LettuceNodeConnections connections) {
		super(new LockConnections(connections.scripts(), connections.subscriptions(), false), settings,
				RedisSetup.ofNode(settings, identity));
		this.identity = identity;
		this.connections = connections;
	}

	/**
	 * Create nodes. Connects when the store starts, in the background.
	 * @param addresses the addresses of the nodes
	 * @param settings the settings of each
	 * @param restartDelay the time that a node does not count after a restart, at least
	 * as long as the longest lease; with zero it counts at once, and locks that it has
	 * forgotten may get a second holder
	 * @return the nodes in the order of the addresses
	 * @throws IllegalStateException if Lettuce is not on the class path
	 */
	public static List<RedisQuorumNode> connect(List<RedisNodeAddress> addresses, RedisStoreSettings settings,
			Duration restartDelay) {
		LettuceNodes nodes = RedisDrivers.nodes(addresses.size(), settings.commandTimeout());
		return NodeIdentity.of(addresses, restartDelay, System::nanoTime)
			.stream()
			.map((identity) -> new RedisQuorumNode(identity, settings,
					nodes.connect(identity.address().server(), identity::look)))
			.toList();
	}

	/** Return {@code true}: its connections are made for it alone. */
	@Override
	public boolean isIndependent() {
		return true;
	}

	@Override
	public String name() {
		return this.identity.address().toString();
	}

	/**
	 * The other node of the quorum that is the same server under another name, and has
	 * its vote. If there is one, this node grants no locks and is {@code MISCONFIGURED}.
	 * @return the name of the other node, or {@code null} if there is none, as far as
	 * both have been connected to
	 */
	public @Nullable String sameServerAs() {
		NodeIdentity twin = this.identity.twin();
		return (twin != null) ? twin.address().toString() : null;
	}

	/**
	 * The server that this one was a replica of when it was last connected to.
	 * @return host and port, or {@code null} if it was no replica, as far as it has been
	 * connected to
	 */
	public @Nullable String replicaOf() {
		return this.identity.primary();
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		LockStoreException before = objection(command);
		return (before != null) ? CompletableFuture.failedFuture(before) : super.acquire(command);
	}

	/**
	 * Return the reason why this node does not count. The connection that a command gets
	 * may show a restart, so the reason is checked after the command as well.
	 */
	@Override
	@Nullable LockStoreException objection(AcquireCommand command) {
		NodeIdentity twin = this.identity.twin();
		if (twin != null) {
			return new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
					"%s is the same server as %s, and must not have two votes. Name another server"
						.formatted(this.identity, twin),
					null);
		}
		String reason = this.identity.quarantine(command.ttl());
		return (reason != null) ? new LockStoreException(LockStoreException.Kind.UNAVAILABLE, reason, null) : null;
	}

	@Override
	public CompletableFuture<Boolean> raise(RaiseCommand command) {
		return raised(command);
	}

	@Override
	public void close() {
		super.close();
		this.connections.close();
	}

}
