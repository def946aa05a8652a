package io.distributedlock.chaos;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.history.Recorder;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.redlock.RedlockSettings;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.QuorumNode;
import org.jspecify.annotations.Nullable;

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

	/** Connect as a worker does whose part in lines is not recorded. */
	static WorkerStore connect(Route route) {
		return unrecorded(route, null);
	}

	/**
	 * Connect with a record of who is in line, of turns, and of acknowledged commands.
	 */
	static WorkerStore connect(Route route, Recorder recorder, Acknowledgements acknowledgements) {
		WorkerStore connected = unrecorded(route, recorder);
		LockStore lines = new LineRecorder(connected.store, new LineLog(recorder, ""), acknowledgements);
		return new WorkerStore(new TurnRecorder(lines, recorder), connected.connections);
	}

	private static WorkerStore unrecorded(Route route, @Nullable Recorder recorder) {
		return switch (route.topology()) {
			case REDLOCK3, REDLOCK5 -> new WorkerStore(majority(route, recorder), () -> {
			});
			case POSTGRESQL, POSTGRESQL_DURABLE -> {
				PostgresConnections connections = PostgresConnections.open(route);
				yield new WorkerStore(connections.store(route.topology() == TopologyKind.POSTGRESQL_DURABLE),
						connections);
			}
			default -> {
				DrivenConnections connections = DrivenConnections.open(route);
				yield new WorkerStore(new RedisLockStore(connections.factory(), SETTINGS), connections);
			}
		};
	}

	/** Nodes are told by their addresses, so each is said to be where its proxy is. */
	private static LockStore majority(Route route, @Nullable Recorder recorder) {
		List<RedisNodeAddress> addresses = route.entries()
			.stream()
			.map((port) -> RedisNodeAddress.parse("redis://127.0.0.1:" + route.detour(port)))
			.toList();
		List<QuorumNode> nodes = new ArrayList<>();
		for (QuorumNode node : RedisQuorumNode.connect(addresses, SETTINGS, ChaosSettings.LONGEST_TTL)) {
			nodes.add((recorder == null) ? node
					: new NodeLineRecorder(node, new LineLog(recorder, RedlockTopology.nameOf(nodes.size()))));
		}
		return new RedlockLockStore(nodes, RedlockSettings.DEFAULTS);
	}

	LockStore store() {
		return this.store;
	}

	@Override
	public void close() throws Exception {
		this.connections.close();
	}

}
