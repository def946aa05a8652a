package io.distributedlock.redis.internal.driver;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;

/**
 * Subscribes with Spring Data.
 */
public final class SpringSubscribing implements SubscribingConnection {

	private final RedisConnection connection;

	/**
	 * {@code true} if it stands for a client that borrows by itself. Such a client is
	 * neither interrupted nor closed. An interrupt would return a connection that is
	 * subscribed, and a close would unsubscribe one that is not.
	 */
	private final boolean client;

	/**
	 * Subscribe with a connection.
	 * @param connection the connection
	 * @param client {@code true} if it stands for a client that borrows by itself
	 */
	public SpringSubscribing(RedisConnection connection, boolean client) {
		this.connection = connection;
		this.client = client;
	}

	@Override
	public void subscribe(Listener listener, byte[] channel) {
		this.connection.subscribe(listener, channel);
	}

	@Override
	public boolean isSubscribed() {
		Subscription subscription = this.connection.getSubscription();
		return subscription != null && subscription.isAlive();
	}

	@Override
	public void unsubscribe() {
		Subscription subscription = this.connection.getSubscription();
		if (subscription != null) {
			subscription.unsubscribe();
		}
	}

	@Override
	public boolean cut(Thread user) {
		if (!this.client) {
			user.interrupt();
		}
		return !this.client;
	}

	@Override
	public void discard() {
		if (!this.client) {
			this.connection.close();
		}
	}

}
