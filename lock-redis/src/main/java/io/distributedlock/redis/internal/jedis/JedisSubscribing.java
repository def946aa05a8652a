package io.distributedlock.redis.internal.jedis;

import io.distributedlock.redis.internal.driver.SpringSubscribing;
import io.distributedlock.redis.internal.driver.SubscribingConnection;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Subscribes with Jedis itself, which waits on such a connection without end, until it is
 * closed.
 */
final class JedisSubscribing implements SubscribingConnection {

	private final Connection connection;

	private final Runnable close;

	private volatile @Nullable Subscriber subscriber;

	private JedisSubscribing(Connection connection, Runnable close) {
		this.connection = connection;
		this.close = close;
	}

	/** Take over a connection, or borrow one from the pool of the client behind it. */
	static SubscribingConnection of(RedisConnection given) {
		Object client = given.getNativeConnection();
		if (client instanceof Jedis jedis) {
			return new JedisSubscribing(jedis.getConnection(), jedis::close);
		}
		Connection taken = JedisPools.borrow(client);
		return (taken != null) ? new JedisSubscribing(taken, taken::close)
				: new SpringSubscribing(given, client instanceof UnifiedJedis);
	}

	@Override
	public void subscribe(Listener listener, byte[] channel) {
		Subscriber reader = new Subscriber(listener);
		this.subscriber = reader;
		reader.proceed(this.connection, channel);
	}

	@Override
	public void unsubscribe() {
		Subscriber reader = this.subscriber;
		if (reader != null) {
			reader.unsubscribe();
		}
	}

	@Override
	public boolean cut(Thread user) {
		try {
			this.connection.disconnect();
		}
		catch (JedisException ignored) {
			// It is cut all the same.
		}
		return true;
	}

	@Override
	public void discard() {
		this.connection.setBroken();
		this.close.run();
	}

	/** Passes on the messages that Jedis reads. */
	private static final class Subscriber extends BinaryJedisPubSub {

		private final Listener listener;

		private Subscriber(Listener listener) {
			this.listener = listener;
		}

		@Override
		public void onMessage(byte[] channel, byte[] message) {
			this.listener.onMessage(new DefaultMessage(channel, message), null);
		}

		@Override
		public void onSubscribe(byte[] channel, int count) {
			this.listener.onChannelSubscribed(channel, count);
		}

	}

}
