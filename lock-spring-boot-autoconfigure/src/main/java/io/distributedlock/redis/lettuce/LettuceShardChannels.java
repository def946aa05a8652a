package io.distributedlock.redis.lettuce;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.redis.driver.ShardChannels;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Sharded channels with Lettuce: a connection to each node that has such channels.
 */
final class LettuceShardChannels implements ShardChannels {

	private final LettuceClusterNodes cluster;

	private final Listener listener;

	private final Map<String, LettuceShardNode> nodes = new ConcurrentHashMap<>();

	/** A client must not be shut down before: that closes twice, which is a warning. */
	private final Set<CompletableFuture<Void>> closing = ConcurrentHashMap.newKeySet();

	LettuceShardChannels(LettuceConnectionFactory factory, Listener listener) {
		this.cluster = new LettuceClusterNodes(factory);
		this.listener = listener;
	}

	@Override
	public @Nullable String placeOf(int slot) {
		return this.cluster.placeOf(slot);
	}

	@Override
	public void subscribe(String channel, String place) {
		LettuceShardNode node = this.nodes.get(place);
		if (node == null) {
			node = open(place);
		}
		node.subscribe(channel);
	}

	private LettuceShardNode open(String place) {
		CompletionStage<StatefulRedisPubSubConnection<String, String>> connecting = this.cluster.client()
			.connectPubSubAsync(StringCodec.UTF8, this.cluster.uri(place));
		LettuceShardNode node = new LettuceShardNode(place, this.listener, this::gone);
		this.nodes.put(place, node);
		node.open(connecting);
		return node;
	}

	private void gone(LettuceShardNode node, CompletableFuture<Void> closed) {
		this.closing.add(closed);
		this.nodes.remove(node.place(), node);
		closed.whenComplete((nothing, failure) -> this.closing.remove(closed));
	}

	@Override
	public void unsubscribe(String channel, String place) {
		LettuceShardNode node = this.nodes.get(place);
		if (node != null) {
			node.unsubscribe(channel);
		}
	}

	@Override
	public CompletionStage<?> refresh() {
		return this.cluster.refresh();
	}

	@Override
	public void close() {
		this.nodes.values().forEach((node) -> node.end(false));
		CompletableFuture.allOf(this.closing.toArray(CompletableFuture<?>[]::new))
			.whenComplete((nothing, failure) -> this.cluster.close());
	}

}
