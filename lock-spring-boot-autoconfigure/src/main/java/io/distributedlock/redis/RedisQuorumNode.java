package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * An independent Redis server as one node of a quorum, with connections of its own:
 * Lettuce's, or Jedis' where there is no Lettuce. While it may have forgotten locks after
 * a restart it grants none, and is {@code UNAVAILABLE} for that. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisQuorumNode implements QuorumNode {

	private final RedisNodeAddress address;

	private final NodeQuarantine quarantine;

	private final NodeConnections connections;

	private final RedisLockStore store;

	RedisQuorumNode(RedisNodeAddress address, RedisStoreSettings settings, NodeQuarantine quarantine,
			NodeConnections connections) {
		this.address = address;
		this.quarantine = quarantine;
		this.connections = connections;
		this.store = new RedisLockStore(connections.scripts(), connections.subscriptions(), settings);
	}

	/**
	 * Create nodes. Connects when the store starts, in the background.
	 * @param addresses where they are
	 * @param settings the settings of each
	 * @param restartDelay how long a node does not count after a restart, at least as
	 * long as the longest lease; zero to take what a node has forgotten for free, which
	 * may give a lock to two holders
	 * @return the nodes in the order of the addresses
	 * @throws IllegalStateException if there is neither Lettuce nor Jedis
	 */
	public static List<RedisQuorumNode> connect(List<RedisNodeAddress> addresses, RedisStoreSettings settings,
			Duration restartDelay) {
		NodeDriver driver = NodeDriver.present(addresses.size());
		return addresses.stream().map((address) -> {
			NodeQuarantine quarantine = new NodeQuarantine(address.toString(), restartDelay, System::nanoTime);
			NodeConnections connections = driver.connect(address, settings.commandTimeout(), quarantine::look);
			return new RedisQuorumNode(address, settings, quarantine, connections);
		}).toList();
	}

	@Override
	public String name() {
		return this.address.toString();
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
	public boolean takesTogether(List<LockKey> keys) {
		return this.store.takesTogether(keys);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return unlessInQuarantine(command, () -> this.store.acquire(command));
	}

	@Override
	public CompletableFuture<AcquireOutcome> claim(AcquireCommand command, boolean again) {
		return unlessInQuarantine(command, () -> this.store.claim(command, again));
	}

	/**
	 * The restart may be noticed on the way, by the connection that the command gets, so
	 * what was granted does not count either.
	 */
	private CompletableFuture<AcquireOutcome> unlessInQuarantine(AcquireCommand command,
			Supplier<CompletableFuture<AcquireOutcome>> asked) {
		LockStoreException before = inQuarantine(command);
		if (before != null) {
			return CompletableFuture.failedFuture(before);
		}
		return Futures.checked(asked.get(), (outcome) -> (outcome instanceof Granted) ? inQuarantine(command) : null);
	}

	private @Nullable LockStoreException inQuarantine(AcquireCommand command) {
		String reason = this.quarantine.reason(command.ttl());
		return (reason != null) ? new LockStoreException(LockStoreException.Kind.UNAVAILABLE, reason, null) : null;
	}

	@Override
	public CompletableFuture<Void> standInLine(AcquireCommand command) {
		return this.store.standInLine(command).thenAccept((outcome) -> {
		});
	}

	@Override
	public CompletableFuture<Boolean> raise(List<LockKey> keys, RequestId request, long token) {
		return this.store.raise(keys, request, token);
	}

	@Override
	public List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		return this.store.renew(commands);
	}

	@Override
	public CompletableFuture<Boolean> release(List<LockKey> keys, RequestId request) {
		return this.store.release(keys, request);
	}

	@Override
	public CompletableFuture<Void> abandon(List<LockKey> keys, RequestId request) {
		return this.store.abandon(keys, request);
	}

	@Override
	public CompletableFuture<Void> withdraw(List<LockKey> keys, RequestId request, Duration waiting) {
		return this.store.withdraw(keys, request, waiting);
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
