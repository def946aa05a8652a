package io.distributedlock.redis;

import java.time.Duration;
import java.util.function.Consumer;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections with Lettuce. It must not reconnect by itself where scripts run: the server
 * may be another one by then, nobody would have looked, and commands would be repeated
 * there.
 */
final class LettuceNodeConnections implements NodeConnections {

	private final LettuceConnectionFactory scripts;

	private final LettuceConnectionFactory subscriptions;

	private final Runnable closed;

	LettuceNodeConnections(RedisNodeAddress address, Duration timeout, Consumer<RedisConnection> look,
			ClientResources resources, Runnable closed) {
		this.scripts = new Looking(address, configuration(address, timeout, resources, false), look);
		this.scripts.setShareNativeConnection(false);
		this.subscriptions = new LettuceConnectionFactory(address.configuration(),
				configuration(address, timeout, resources, true));
		this.closed = closed;
		for (LettuceConnectionFactory factory : new LettuceConnectionFactory[] { this.scripts, this.subscriptions }) {
			factory.afterPropertiesSet();
			factory.start();
		}
	}

	private static LettuceClientConfiguration configuration(RedisNodeAddress address, Duration timeout,
			ClientResources resources, boolean reconnects) {
		SocketOptions sockets = SocketOptions.builder().connectTimeout(timeout).build();
		LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.clientResources(resources)
			.clientOptions(ClientOptions.builder()
				.autoReconnect(reconnects)
				.socketOptions(sockets)
				.timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
				.build())
			.commandTimeout(timeout)
			.redisCredentialsProviderFactory(CredentialsAtOnce.of(address.username(), address.password()))
			.shutdownQuietPeriod(Duration.ZERO);
		if (address.tls()) {
			builder.useSsl();
		}
		return builder.build();
	}

	@Override
	public RedisConnectionFactory scripts() {
		return this.scripts;
	}

	@Override
	public RedisConnectionFactory subscriptions() {
		return this.subscriptions;
	}

	@Override
	public void close() {
		this.scripts.destroy();
		this.subscriptions.destroy();
		this.closed.run();
	}

	/** Looks at each connection before it gives it away. */
	private static final class Looking extends LettuceConnectionFactory {

		private final Consumer<RedisConnection> look;

		private final ConnectionPause pause = new ConnectionPause(System::nanoTime);

		Looking(RedisNodeAddress address, LettuceClientConfiguration configuration, Consumer<RedisConnection> look) {
			super(address.configuration(), configuration);
			this.look = look;
		}

		@Override
		public RedisConnection getConnection() {
			return this.pause.connect(super::getConnection, this.look, 0);
		}

	}

}
