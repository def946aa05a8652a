package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.function.Consumer;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import io.distributedlock.redis.internal.driver.NodeServer;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lettuce connections to a node of a quorum. Those for scripts must not reconnect by
 * themselves: the server may be another one then, and commands would be repeated there
 * before it was identified.
 */
public final class LettuceNodeConnections implements AutoCloseable {

	private final LettuceConnectionFactory scripts;

	private final LettuceConnectionFactory subscriptions;

	private final Runnable closed;

	LettuceNodeConnections(NodeServer server, Duration timeout, Consumer<RedisConnection> look,
			ClientResources resources, Runnable closed) {
		this.scripts = new Looking(server, configuration(server, timeout, resources, false), timeout, look);
		this.scripts.setShareNativeConnection(false);
		this.subscriptions = new LettuceConnectionFactory(server.configuration(),
				configuration(server, timeout, resources, true));
		this.closed = closed;
		for (LettuceConnectionFactory factory : new LettuceConnectionFactory[] { this.scripts, this.subscriptions }) {
			factory.afterPropertiesSet();
			factory.start();
		}
	}

	private static LettuceClientConfiguration configuration(NodeServer server, Duration timeout,
			ClientResources resources, boolean reconnects) {
		SocketOptions sockets = SocketOptions.builder().connectTimeout(timeout).build();
		LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.clientResources(resources)
			.clientOptions(ClientOptions.builder()
				.autoReconnect(reconnects)
				.socketOptions(sockets)
				.sslOptions(tls(server))
				.timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
				.build())
			.commandTimeout(SetUpLimit.first(SocketOptions.DEFAULT_CONNECT_TIMEOUT_DURATION, timeout))
			.redisCredentialsProviderFactory(CredentialsAtOnce.of(server))
			.shutdownQuietPeriod(Duration.ZERO);
		if (server.tls() != null) {
			builder.useSsl();
		}
		return builder.build();
	}

	private static SslOptions tls(NodeServer server) {
		SslOptions.Builder options = SslOptions.builder();
		KeyManagerFactory keys = server.keys();
		if (keys != null) {
			options.keyManager(keys);
		}
		TrustManagerFactory trust = server.trust();
		if (trust != null) {
			options.trustManager(trust);
		}
		SSLParameters parameters = server.tls();
		if (parameters != null && parameters.getProtocols() != null) {
			options.protocols(parameters.getProtocols());
		}
		if (parameters != null && parameters.getCipherSuites() != null) {
			options.cipherSuites(parameters.getCipherSuites());
		}
		return options.build();
	}

	/**
	 * Return the driver for scripts. Its connections are inspected before their first
	 * command, and never replaced by others underneath.
	 */
	public RedisDriver scripts() {
		return new LettuceDriver(this.scripts, true);
	}

	/** Return the driver for subscriptions. */
	public RedisDriver subscriptions() {
		return new LettuceDriver(this.subscriptions, true);
	}

	@Override
	public void close() {
		this.scripts.destroy();
		this.subscriptions.destroy();
		this.closed.run();
	}

	/**
	 * Inspects each connection before it gives it away. Pauses between attempts to
	 * connect to a server that is down. During a pause, callers fail at once, as they
	 * would anyway.
	 */
	private static final class Looking extends LettuceConnectionFactory {

		private static final long PAUSE_NANOS = Duration.ofMillis(150).toNanos();

		private final Duration timeout;

		private final Consumer<RedisConnection> look;

		/** The failure of the last attempt, if it failed. */
		private volatile @Nullable RuntimeException failure;

		private volatile long failedAt;

		Looking(NodeServer server, LettuceClientConfiguration configuration, Duration timeout,
				Consumer<RedisConnection> look) {
			super(server.configuration(), configuration);
			this.timeout = timeout;
			this.look = look;
		}

		/**
		 * Time-out of a blocking command. That of the settings is for the first
		 * connection.
		 */
		@Override
		public long getTimeout() {
			return this.timeout.toMillis();
		}

		@Override
		public RedisConnection getConnection() {
			RuntimeException last = this.failure;
			if (last != null && System.nanoTime() - this.failedAt < PAUSE_NANOS) {
				throw new RedisConnectionFailureException(String.valueOf(last.getMessage()), last);
			}
			RedisConnection connection = null;
			try {
				connection = super.getConnection();
				this.look.accept(connection);
				this.failure = null;
				return connection;
			}
			catch (RuntimeException ex) {
				this.failedAt = System.nanoTime();
				this.failure = ex;
				if (connection != null) {
					connection.close();
				}
				throw ex;
			}
		}

	}

}
