package io.distributedlock.redis.internal.driver;

import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * A connection that one thread borrows to subscribe on it once.
 */
public interface SubscribingConnection {

	/** Subscribe. Returns at the end of the subscription where the driver blocks. */
	void subscribe(Listener listener, byte[] channel);

	/** Whether a subscription goes on although the driver did not block. */
	default boolean isSubscribed() {
		return false;
	}

	/** Not before Redis has said that the subscription is there, nor after its end. */
	void unsubscribe();

	/**
	 * End what its thread waits for on it. Does not block.
	 * @return whether the driver allows that
	 */
	boolean cut(Thread user);

	/** Close it so that it cannot be borrowed again. */
	void discard();

	/** Receives what the server sends. */
	interface Listener extends MessageListener, SubscriptionListener {

	}

}
