package io.distributedlock.redis.internal.driver;

import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * A connection that one thread borrows to subscribe on it once.
 */
public interface SubscribingConnection {

	/** Subscribe. Returns at the end of the subscription where the driver blocks. */
	void subscribe(Listener listener, byte[] channel);

	/** Return whether a subscription goes on although the driver did not block. */
	default boolean isSubscribed() {
		return false;
	}

	/**
	 * Unsubscribe. Not before Redis has confirmed the subscription, nor after its end.
	 */
	void unsubscribe();

	/**
	 * End the wait of the thread that uses it. Does not block.
	 * @return {@code true} if the driver allows that
	 */
	boolean cut(Thread user);

	/** Close it so that it cannot be borrowed again. */
	void discard();

	/** Receives the messages of the server. */
	interface Listener extends MessageListener, SubscriptionListener {

	}

}
