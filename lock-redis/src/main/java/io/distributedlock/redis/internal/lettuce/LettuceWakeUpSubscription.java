package io.distributedlock.redis.internal.lettuce;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.redis.internal.driver.WakeUpSubscription;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A subscription with Lettuce, which ends with its own connection. Lettuce would
 * reconnect and subscribe again, but does not report a refusal.
 */
final class LettuceWakeUpSubscription extends RedisPubSubAdapter<byte[], byte[]>
		implements WakeUpSubscription, RedisConnectionStateListener {

	private final LettuceConnectionFactory factory;

	private final WakeUpSubscription.Listener listener;

	/** Completes when the server confirms; fails when the connection is lost. */
	private final CompletableFuture<@Nullable Void> confirmed = new CompletableFuture<>();

	private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;

	private volatile boolean ended;

	LettuceWakeUpSubscription(LettuceConnectionFactory factory, WakeUpSubscription.Listener listener) {
		this.factory = factory;
		this.listener = listener;
	}

	/** Subscribe, and wait until the server has confirmed it. */
	@Override
	public void start() {
		StatefulRedisPubSubConnection<byte[], byte[]> opened = open(this.factory.getRequiredNativeClient());
		this.connection = opened;
		opened.addListener((RedisConnectionStateListener) this);
		opened.addListener((RedisPubSubListener<byte[], byte[]>) this);
		opened.async()
			.subscribe(this.listener.channel().getBytes(StandardCharsets.UTF_8))
			.whenComplete((nothing, failure) -> confirm(failure));
		await();
	}

	private static StatefulRedisPubSubConnection<byte[], byte[]> open(AbstractRedisClient client) {
		return (client instanceof RedisClusterClient cluster) ? cluster.connectPubSub(ByteArrayCodec.INSTANCE)
				: ((RedisClient) client).connectPubSub(ByteArrayCodec.INSTANCE);
	}

	private void confirm(@Nullable Throwable failure) {
		if (failure == null) {
			this.confirmed.complete(null);
		}
		else {
			this.confirmed.completeExceptionally(failure);
		}
	}

	private void await() {
		try {
			this.confirmed.get(this.factory.getTimeout(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new IllegalStateException("The subscription was not confirmed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted before the subscription was confirmed", ex);
		}
	}

	@Override
	public void message(byte[] channel, byte[] message) {
		if (!this.ended) {
			this.listener.onMessage(new DefaultMessage(channel, message), null);
		}
	}

	@Override
	public void subscribed(byte[] channel, long count) {
		if (!this.ended) {
			this.listener.onChannelSubscribed(channel, count);
		}
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
		if (!this.ended) {
			this.ended = true;
			IllegalStateException failure = new IllegalStateException("The connection was lost");
			this.confirmed.completeExceptionally(failure);
			this.listener.ended(this, failure);
		}
	}

	/**
	 * Close the connection, unless the shutdown of its client did: closing twice is a
	 * warning.
	 */
	@Override
	public void stop() {
		this.ended = true;
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.connection;
		if (current != null && !(current instanceof RedisChannelHandler<?, ?> handler && handler.isClosed())) {
			current.closeAsync();
		}
	}

}
