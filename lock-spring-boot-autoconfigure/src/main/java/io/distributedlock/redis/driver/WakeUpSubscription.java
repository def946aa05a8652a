package io.distributedlock.redis.driver;

import org.jspecify.annotations.Nullable;

/**
 * A subscription to the channel of this instance, in the way of a driver.
 */
public interface WakeUpSubscription {

	/** Subscribe; the listener hears of later failures. */
	void start();

	/** End the subscription for good. */
	void stop();

	/** What a subscription is for. Its methods may be called on any thread. */
	interface Listener extends SubscribingConnection.Listener {

		/** The name of the channel. */
		String channel();

		/** The subscription is interrupted, and comes back by itself. */
		void lost();

		/**
		 * A subscription that does not come back by itself has ended.
		 * @param ended the subscription
		 * @param failure why, or {@code null} if it was unsubscribed
		 */
		void ended(WakeUpSubscription ended, @Nullable Throwable failure);

	}

}
