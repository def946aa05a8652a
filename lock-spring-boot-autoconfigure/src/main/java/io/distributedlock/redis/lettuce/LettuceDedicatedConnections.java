package io.distributedlock.redis.lettuce;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

import io.distributedlock.redis.driver.DedicatedConnection;
import io.distributedlock.redis.driver.DedicatedConnections;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Dedicated connections of the factory's Lettuce client. With Sentinel each new one asks
 * where the primary is. On a cluster they go to single nodes, by a client beside the
 * factory's that shares its threads and its topology.
 */
final class LettuceDedicatedConnections implements DedicatedConnections {

	private final LettuceConnectionFactory factory;

	private final Duration patience;

	private final Map<String, Deque<LettuceDedicatedConnection>> idle = new ConcurrentHashMap<>();

	private final LettuceClusterNodes nodes;

	private volatile boolean closed;

	LettuceDedicatedConnections(LettuceConnectionFactory factory, Duration patience) {
		this.factory = factory;
		this.patience = patience;
		this.nodes = new LettuceClusterNodes(factory);
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
		String place = this.nodes.placeOf(slot);
		if (place == null) {
			throw new IllegalStateException("CLUSTERDOWN No node is known to serve hash slot " + slot);
		}
		return place;
	}

	@Override
	public String moved(byte[] key, String address) {
		this.nodes.refresh();
		return address;
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
		return isCluster() ? this.nodes.client().connect(ByteArrayCodec.INSTANCE, this.nodes.uri(place))
				: ((RedisClient) this.factory.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE);
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
		this.closed = true;
		this.idle.values().forEach((waiting) -> endIdle(waiting).join());
		this.nodes.close();
	}

}
