package io.distributedlock.redis.lettuce;

import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * Tells when the connection of a subscription is lost, until Lettuce has restored it. The
 * client may have other subscriptions, also of the application: this one is known by the
 * channel that the server confirms.
 */
final class SubscriptionWatch implements RedisConnectionStateListener {

	private final byte[] channel;

	private final Runnable lost;

	private final Set<Object> known = Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

	private volatile @Nullable Object own;

	SubscriptionWatch(byte[] channel, Runnable lost) {
		this.channel = channel;
		this.lost = lost;
	}

	@Override
	@SuppressWarnings("deprecation") // the one with an address calls it
	public void onRedisConnected(RedisChannelHandler<?, ?> connection) {
		if (connection instanceof StatefulRedisPubSubConnection<?, ?> subscriber && this.known.add(connection)) {
			watch(subscriber);
		}
	}

	private <K, V> void watch(StatefulRedisPubSubConnection<K, V> subscriber) {
		subscriber.addListener(new RedisPubSubAdapter<>() {
			@Override
			public void subscribed(K subscribed, long count) {
				if (subscribed instanceof byte[] name && Arrays.equals(name, SubscriptionWatch.this.channel)) {
					SubscriptionWatch.this.own = subscriber;
				}
			}
		});
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		if (connection == this.own) {
			this.lost.run();
		}
	}

}
