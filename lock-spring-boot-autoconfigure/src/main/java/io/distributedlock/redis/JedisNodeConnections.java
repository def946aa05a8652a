package io.distributedlock.redis;

import java.time.Duration;
import java.util.function.Consumer;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections with Jedis, which come from a pool. One cannot see whether the pool has
 * made a new one, so each is looked at each time it is borrowed.
 */
final class JedisNodeConnections implements NodeConnections {

	private final JedisConnectionFactory factory;

	JedisNodeConnections(RedisNodeAddress address, Duration timeout, Consumer<RedisConnection> look) {
		JedisClientConfiguration.JedisClientConfigurationBuilder builder = JedisClientConfiguration.builder()
			.connectTimeout(timeout)
			.readTimeout(timeout);
		if (address.tls()) {
			builder.useSsl();
		}
		this.factory = new Looking(address, builder.usePooling().build(), look);
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	@Override
	public RedisConnectionFactory scripts() {
		return this.factory;
	}

	@Override
	public RedisConnectionFactory subscriptions() {
		return this.factory;
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

	/** Looks at each connection before it gives it away. */
	private static final class Looking extends JedisConnectionFactory {

		private final Consumer<RedisConnection> look;

		private final ConnectionPause pause = new ConnectionPause(System::nanoTime);

		Looking(RedisNodeAddress address, JedisClientConfiguration configuration, Consumer<RedisConnection> look) {
			super(address.configuration(), configuration);
			this.look = look;
		}

		@Override
		public RedisConnection getConnection() {
			return this.pause.connect(super::getConnection, this.look, BlockingScriptRunner.MOST_DEAD_CONNECTIONS);
		}

	}

}
