package io.distributedlock.chaos;

import java.util.List;

import io.distributedlock.history.Recorder;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.redlock.RedlockSettings;
import io.distributedlock.store.LockStore;

/** The store of a worker, with connections as an application has them. */
final class WorkerStore implements AutoCloseable {

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("lock:", ChaosRun.RETENTION,
			ChaosSettings.COMMAND_TIMEOUT, true);

	private final LockStore store;

	private final AutoCloseable connections;

	private WorkerStore(LockStore store, AutoCloseable connections) {
		this.store = store;
		this.connections = connections;
	}

	static WorkerStore connect(Route route) {
		return switch (route.topology()) {
			case REDLOCK3, REDLOCK5 -> new WorkerStore(majority(route), () -> {
			});
			default -> {
				DrivenConnections connections = new DrivenConnections(route);
				yield new WorkerStore(new RedisLockStore(connections.factory(), SETTINGS), connections);
			}
		};
	}

	/** Nodes are told by their addresses, so each is said to be where its proxy is. */
	private static LockStore majority(Route route) {
		List<RedisNodeAddress> addresses = route.entries()
			.stream()
			.map((port) -> RedisNodeAddress.parse("redis://127.0.0.1:" + route.detour(port)))
			.toList();
		return new RedlockLockStore(RedisQuorumNode.connect(addresses, SETTINGS, ChaosSettings.LONGEST_TTL),
				RedlockSettings.DEFAULTS);
	}

	LockStore store() {
		return this.store;
	}

	/**
	 * The store with a record of who is in line. Independent nodes have lines of their
	 * own, and which of them counts depends on which can be reached.
	 */
	LockStore recorded(Recorder recorder) {
		return (this.store instanceof RedlockLockStore) ? this.store : new LineRecorder(this.store, recorder);
	}

	@Override
	public void close() throws Exception {
		this.connections.close();
	}

}
