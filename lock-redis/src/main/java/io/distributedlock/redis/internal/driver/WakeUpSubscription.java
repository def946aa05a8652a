package io.distributedlock.redis.internal.driver;

import org.jspecify.annotations.Nullable;

/**
 * A subscription to the channel of this instance, made with a driver.
 */
public interface WakeUpSubscription {

	/** Subscribe. The listener learns of a later end. */
	void start();

	/** Close the rest of the subscription, also of one that has ended. */
	void stop();

	/** Receiver of a subscription. Its methods may be called on any thread. */
	interface Listener extends SubscribingConnection.Listener {

		/** The name of the channel. */
		String channel();

		/**
		 * Note that a subscription has ended, or could not be made.
		 * @param ended the subscription
		 * @param failure the reason, or {@code null} if it was unsubscribed
		 */
		void ended(WakeUpSubscription ended, @Nullable Throwable failure);

	}

}
