package io.distributedlock.redis.lettuce;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;

import io.distributedlock.redis.driver.WakeUpSubscription;
import io.distributedlock.text.LockLog;
import io.lettuce.core.AbstractRedisClient;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * A subscription with Lettuce. Comes back by itself when the connection is lost.
 */
final class ContainerSubscription implements WakeUpSubscription {

	private static final LockLog logger = LockLog.of(ContainerSubscription.class);

	private final RedisMessageListenerContainer container = new RedisMessageListenerContainer();

	private final LettuceConnectionFactory factory;

	private final SubscriptionWatch watch;

	private @Nullable AbstractRedisClient client;

	ContainerSubscription(LettuceConnectionFactory factory, Executor subscriptions, Duration recovery,
			WakeUpSubscription.Listener channel) {
		this.factory = factory;
		this.watch = new SubscriptionWatch(channel.channel().getBytes(StandardCharsets.UTF_8), channel::lost);
		this.container.setConnectionFactory(factory);
		this.container.setTaskExecutor(Runnable::run);
		this.container.setSubscriptionExecutor(subscriptions);
		this.container.setRecoveryInterval(recovery.toMillis());
		this.container.afterPropertiesSet();
		this.container.addMessageListener(channel, new ChannelTopic(channel.channel()));
	}

	/** Returns when it is there. */
	@Override
	public void start() {
		this.client = this.factory.getNativeClient();
		if (this.client != null) {
			this.client.addListener(this.watch);
		}
		this.container.start();
	}

	@Override
	public void stop() {
		if (this.client != null) {
			this.client.removeListener(this.watch);
		}
		try {
			this.container.destroy();
		}
		catch (Exception ex) {
			logger.debug("Stopping the subscription failed", ex);
		}
	}

}
