package io.distributedlock.redis;

import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The nodes of a cluster as the application's Lettuce client knows them, and a client
 * beside it that shares its threads, for connections to single nodes that do not come
 * back by themselves.
 */
final class LettuceClusterNodes implements AutoCloseable {

	private final LettuceConnectionFactory factory;

	private final Object monitor = new Object();

	/** Guarded by the monitor. */
	private @Nullable RedisClient client;

	/** Whose threads the client shares. Guarded by the monitor. */
	private @Nullable RedisClusterClient sharing;

	/** Guarded by the monitor. */
	private boolean closed;

	LettuceClusterNodes(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/** The address of the master of a slot, if one is known. */
	@Nullable String placeOf(int slot) {
		RedisClusterNode node = partitions().getPartitionBySlot(slot);
		return (node != null) ? address(node.getUri()) : null;
	}

	/** Ask the cluster anew who has which slot. */
	CompletionStage<Void> refresh() {
		return application().refreshPartitionsAsync();
	}

	/** With the password and all else that the application's client uses there. */
	RedisURI uri(String place) {
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

	private Partitions partitions() {
		return application().getPartitions();
	}

	private RedisClusterClient application() {
		return (RedisClusterClient) this.factory.getRequiredNativeClient();
	}

	private static String address(RedisURI uri) {
		return uri.getHost() + ':' + uri.getPort();
	}

	/** The client for single nodes; a new one when the application has a new one. */
	RedisClient client() {
		RedisClusterClient application = application();
		synchronized (this.monitor) {
			RedisClient current = this.client;
			if (this.closed) {
				throw new IllegalStateException("The lock store is closed");
			}
			if (current == null || this.sharing != application) {
				current = RedisClient.create(application.getResources());
				current.setOptions(ClientOptions.copyOf(application.getOptions()).mutate().autoReconnect(false).build());
				this.client = current;
				this.sharing = application;
			}
			return current;
		}
	}

	@Override
	public void close() {
		RedisClient last;
		synchronized (this.monitor) {
			this.closed = true;
			last = this.client;
			this.client = null;
		}
		if (last != null) {
			last.shutdownAsync();
		}
	}

}
