package io.distributedlock.redis.driver;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Subscriptions to sharded channels of a cluster, in the way of a driver. Used by one
 * thread at a time, and nothing waits for an answer.
 */
public interface ShardChannels extends AutoCloseable {

	/** Which node has a slot, as far as the driver knows. */
	@Nullable String placeOf(int slot);

	/** What comes of it is told to the listener. */
	void subscribe(String channel, String place);

	void unsubscribe(String channel, String place);

	/** Ask the cluster anew who has which slot. */
	CompletionStage<?> refresh();

	@Override
	void close();

	/** Told on any thread. */
	interface Listener {

		void subscribed(String channel, String place);

		/** The node has ended a subscription, or has not begun it. */
		void ended(String channel, String place);

		/** All subscriptions at a node have ended. */
		void cut(String place);

		/** The cluster does not know sharded channels, or the user may not use them. */
		void refused(Throwable failure);

		void message(String text);

	}

}
