package io.distributedlock.redis.lettuce;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.distributedlock.redis.driver.WakeUpSubscription;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * A subscription with Lettuce. Comes back by itself when the connection is lost.
 */
final class ContainerSubscription implements WakeUpSubscription {

	private static final Log logger = LogFactory.getLog(ContainerSubscription.class);

	private final RedisMessageListenerContainer container = new RedisMessageListenerContainer();

	ContainerSubscription(RedisConnectionFactory factory, Executor subscriptions, Duration recovery,
			WakeUpSubscription.Listener channel) {
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
		this.container.start();
	}

	@Override
	public void stop() {
		try {
			this.container.destroy();
		}
		catch (Exception ex) {
			logger.debug("Stopping the subscription failed", ex);
		}
	}

}
