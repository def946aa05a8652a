package io.distributedlock.redis.internal.driver;

import org.jspecify.annotations.Nullable;

/**
 * A subscription to the channel of this instance, in the way of a driver.
 */
public interface WakeUpSubscription {

	/** Subscribe. The listener learns of a later end. */
	void start();

	/** Close what is left of the subscription, also of one that has ended. */
	void stop();

	/** What a subscription is for. Its methods may be called on any thread. */
	interface Listener extends SubscribingConnection.Listener {

		/** The name of the channel. */
		String channel();

		/**
		 * A subscription has ended, or could not be made.
		 * @param ended the subscription
		 * @param failure why, or {@code null} if it was unsubscribed
		 */
		void ended(WakeUpSubscription ended, @Nullable Throwable failure);

	}

}
