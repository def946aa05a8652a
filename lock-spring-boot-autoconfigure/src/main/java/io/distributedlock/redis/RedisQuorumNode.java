package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.lettuce.LettuceNodeConnections;
import io.distributedlock.redis.lettuce.LettuceNodes;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * An independent Redis server as one node of a quorum, with connections of its own, which
 * are Lettuce's. While it may have forgotten locks after a restart it grants none, and is
 * {@code UNAVAILABLE} for that; nor does a node that is the same server as another one.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisQuorumNode implements QuorumNode {

	private final NodeIdentity identity;

	private final NodeQuarantine quarantine;

	private final LettuceNodeConnections connections;

	private final RedisLockStore store;

	RedisQuorumNode(NodeIdentity identity, RedisStoreSettings settings, NodeQuarantine quarantine,
			LettuceNodeConnections connections) {
		this.identity = identity;
		this.quarantine = quarantine;
		this.connections = connections;
		this.store = new RedisLockStore(new LockConnections(connections.scripts(), connections.subscriptions(), false),
				settings, RedisSetup.ofNode(settings, identity));
	}

	/**
	 * Create nodes. Connects when the store starts, in the background.
	 * @param addresses where they are
	 * @param settings the settings of each
	 * @param restartDelay how long a node does not count after a restart, at least as
	 * long as the longest lease; zero to take what a node has forgotten for free, which
	 * may give a lock to two holders
	 * @return the nodes in the order of the addresses
	 * @throws IllegalStateException if there is no Lettuce
	 */
	public static List<RedisQuorumNode> connect(List<RedisNodeAddress> addresses, RedisStoreSettings settings,
			Duration restartDelay) {
		LettuceNodes nodes = RedisDrivers.nodes(addresses.size());
		return NodeIdentity.of(addresses).stream().map((identity) -> {
			NodeQuarantine quarantine = new NodeQuarantine(identity, restartDelay, System::nanoTime);
			LettuceNodeConnections connections = nodes.connect(identity.address().server(), settings.commandTimeout(),
					quarantine::look);
			return new RedisQuorumNode(identity, settings, quarantine, connections);
		}).toList();
	}

	@Override
	public String name() {
		return this.identity.address().toString();
	}

	/**
	 * The other node of the quorum that is the same server under another name, and has
	 * its vote. This one grants no locks then, and is {@code MISCONFIGURED} for that.
	 * @return the name of the other node, or {@code null} if there is none, as far as
	 * both have been connected to and the Redis user may ask them ({@code INFO})
	 */
	public @Nullable String sameServerAs() {
		NodeIdentity twin = this.identity.twin();
		return (twin != null) ? twin.address().toString() : null;
	}

	/**
	 * The server that this one was a replica of when it was first connected to.
	 * @return host and port, or {@code null} if it was none, as far as it has been
	 * connected to and the Redis user may ask it ({@code INFO})
	 */
	public @Nullable String replicaOf() {
		return this.identity.primary();
	}

	/**
	 * Try whether the Redis user may do all that locks need, as
	 * {@link RedisLockStore#checkPermissions()}.
	 * @return completes when nothing is missing
	 */
	public CompletableFuture<Void> checkPermissions() {
		return this.store.checkPermissions();
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.store.start(instance, listener);
	}

	@Override
	public Set<StoreCapability> capabilities() {
		return this.store.capabilities();
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.store.takesTogether(keys);
	}

	/**
	 * That this node does not count may be noticed on the way, by the connection that the
	 * command gets, so what was granted does not count either.
	 */
	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		LockStoreException before = objection(command);
		if (before != null) {
			return CompletableFuture.failedFuture(before);
		}
		return Futures.checked(this.store.acquire(command),
				(outcome) -> (outcome instanceof Granted) ? objection(command) : null);
	}

	private @Nullable LockStoreException objection(AcquireCommand command) {
		NodeIdentity twin = this.identity.twin();
		if (twin != null) {
			return new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
					"%s is the same server as %s, and must not have two votes. Name another server"
						.formatted(this.identity, twin),
					null);
		}
		String reason = this.quarantine.reason(command.ttl());
		return (reason != null) ? new LockStoreException(LockStoreException.Kind.UNAVAILABLE, reason, null) : null;
	}

	@Override
	public CompletableFuture<Boolean> raise(RaiseCommand command) {
		return this.store.raise(command);
	}

	@Override
	public List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		return this.store.renew(commands);
	}

	@Override
	public CompletableFuture<Boolean> release(ReleaseCommand command) {
		return this.store.release(command);
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return this.store.abandon(command);
	}

	@Override
	public String place(LockKey key) {
		return this.store.place(key);
	}

	@Override
	public Duration commandTimeout() {
		return this.store.commandTimeout();
	}

	@Override
	public void close() {
		this.store.close();
		this.connections.close();
	}

}
