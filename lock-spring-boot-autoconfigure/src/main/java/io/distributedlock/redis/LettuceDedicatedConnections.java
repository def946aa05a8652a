package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Dedicated connections of the application's own Lettuce client. With Sentinel each new
 * one asks where the primary is. On a cluster they go to single nodes, by a client beside
 * the application's that shares its threads and its topology.
 */
final class LettuceDedicatedConnections implements DedicatedConnections {

	private final LettuceConnectionFactory factory;

	private final Duration patience;

	private final Map<String, Deque<LettuceDedicatedConnection>> idle = new ConcurrentHashMap<>();

	private final Object monitor = new Object();

	/** To the nodes of a cluster. Guarded by the monitor. */
	private @Nullable RedisClient nodes;

	private volatile boolean closed;

	LettuceDedicatedConnections(LettuceConnectionFactory factory, Duration patience) {
		this.factory = factory;
		this.patience = patience;
	}

	@Override
	public boolean isCluster() {
		return this.factory.isClusterAware();
	}

	@Override
	public String placeOf(byte[] key) {
		if (!isCluster()) {
			return "";
		}
		int slot = SlotHash.getSlot(key);
		RedisClusterNode node = partitions().getPartitionBySlot(slot);
		if (node == null) {
			throw new IllegalStateException("CLUSTERDOWN No node is known to serve hash slot " + slot);
		}
		return address(node.getUri());
	}

	@Override
	public String moved(byte[] key, String address) {
		((RedisClusterClient) this.factory.getRequiredNativeClient()).refreshPartitionsAsync();
		return address;
	}

	private Partitions partitions() {
		return ((RedisClusterClient) this.factory.getRequiredNativeClient()).getPartitions();
	}

	private static String address(RedisURI uri) {
		return uri.getHost() + ':' + uri.getPort();
	}

	@Override
	public DedicatedConnection open(String place) {
		Deque<LettuceDedicatedConnection> waiting = waiting(place);
		for (LettuceDedicatedConnection next = waiting.poll(); next != null; next = waiting.poll()) {
			if (next.isIntact()) {
				return next;
			}
			next.end();
		}
		return new LettuceDedicatedConnection(connect(place), this.patience, (used) -> giveBack(place, used));
	}

	private StatefulRedisConnection<byte[], byte[]> connect(String place) {
		return isCluster() ? nodes().connect(ByteArrayCodec.INSTANCE, uri(place))
				: ((RedisClient) this.factory.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE);
	}

	private RedisURI uri(String place) {
		Partitions partitions = partitions();
		Stream<RedisURI> known = partitions.stream().map(RedisClusterNode::getUri);
		return known.filter((uri) -> address(uri).equals(place)).findFirst().orElseGet(() -> {
			int colon = place.lastIndexOf(':');
			return RedisURI.builder(partitions.getPartition(0).getUri())
				.withHost(place.substring(0, colon))
				.withPort(Integer.parseInt(place.substring(colon + 1)))
				.build();
		});
	}

	private RedisClient nodes() {
		synchronized (this.monitor) {
			RedisClient client = this.nodes;
			if (this.closed) {
				throw new IllegalStateException("The lock store is closed");
			}
			if (client == null) {
				RedisClusterClient application = (RedisClusterClient) this.factory.getRequiredNativeClient();
				client = RedisClient.create(application.getResources());
				client.setOptions(ClientOptions.copyOf(application.getOptions()).mutate().autoReconnect(false).build());
				this.nodes = client;
			}
			return client;
		}
	}

	/** What fails for one connection has likely ended the others to the place. */
	private void giveBack(String place, LettuceDedicatedConnection used) {
		if (used.isIntact()) {
			waiting(place).push(used);
			if (!this.closed) {
				return;
			}
		}
		used.end();
		endIdle(waiting(place));
	}

	private Deque<LettuceDedicatedConnection> waiting(String place) {
		return this.idle.computeIfAbsent(place, (missing) -> new ConcurrentLinkedDeque<>());
	}

	private static CompletableFuture<Void> endIdle(Deque<LettuceDedicatedConnection> waiting) {
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		for (LettuceDedicatedConnection next = waiting.poll(); next != null; next = waiting.poll()) {
			ends.add(next.end());
		}
		return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public void close() {
		RedisClient client;
		synchronized (this.monitor) {
			this.closed = true;
			client = this.nodes;
			this.nodes = null;
		}
		this.idle.values().forEach((waiting) -> endIdle(waiting).join());
		if (client != null) {
			client.shutdownAsync();
		}
	}

}
