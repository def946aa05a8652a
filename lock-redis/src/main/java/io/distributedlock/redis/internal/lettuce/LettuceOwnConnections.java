package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterCommandExecutor;
import org.springframework.data.redis.connection.ClusterTopologyProvider;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * Connections of the locks alone, made from what the application has configured for
 * Lettuce: the same servers, credentials, TLS and name, on threads of their own. What the
 * application does on its own connection, or on the threads of it, delays nothing here.
 * They reconnect within about a second, however long the server was away, and look at a
 * cluster again by themselves. Commands go to primaries only.
 */
final class LettuceOwnConnections extends LettuceConnectionFactory {

	/** The fewest that Lettuce has. */
	private static final int THREADS = 2;

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	/**
	 * How long a connection may take, but for the first one, and a command that blocks.
	 */
	private final Duration limit;

	/** The longest range of the random pause before attempt n is this times 2^n. */
	private static final long PAUSE_MILLIS = 20;

	private static final Duration CLUSTER_REFRESH = Duration.ofSeconds(2);

	private static final Duration CLUSTER_REFRESH_AFTER_FAILURE = Duration.ofSeconds(1);

	/**
	 * Create them. Nothing is opened.
	 * @param configuration where Redis is
	 * @param application what else the application has configured
	 * @param timeout how long opening a connection may take; the first one takes its
	 * connect time-out of the application where that is longer
	 */
	LettuceOwnConnections(RedisConfiguration configuration, LettuceClientConfiguration application, Duration timeout) {
		super(configuration,
				settings(application, timeout, configuration instanceof RedisConfiguration.ClusterConfiguration));
		this.limit = least(application.getCommandTimeout(), timeout);
		afterPropertiesSet();
		start();
	}

	/** For a command that blocks. That of the settings is for the first connection. */
	@Override
	public long getTimeout() {
		return this.limit.toMillis();
	}

	@Override
	protected LettuceClusterConnection doCreateLettuceClusterConnection(
			@Nullable StatefulRedisClusterConnection<byte[], byte[]> shared, LettuceConnectionProvider connections,
			ClusterTopologyProvider topology, ClusterCommandExecutor executor, Duration timeout) {
		return super.doCreateLettuceClusterConnection(shared, connections, topology, executor, this.limit);
	}

	/**
	 * Those of the application, but for threads, timer and event bus, and for the pauses
	 * between two attempts to reconnect. Code of the application that blocks a thread of
	 * its own connections delays no lock, and its resources may end before these.
	 */
	private static ClientResources resources(@Nullable ClientResources application, Duration limit) {
		ClientResources.Builder builder = ClientResources.builder()
			.ioThreadPoolSize(THREADS)
			.computationThreadPoolSize(THREADS)
			.threadFactoryProvider((name) -> new DefaultThreadFactory("distributed-lock-" + name, true))
			.reconnectDelay(Delay.fullJitter(SHORTEST_PAUSE, LONGEST_PAUSE, PAUSE_MILLIS, TimeUnit.MILLISECONDS));
		if (application != null) {
			builder.commandLatencyRecorder(application.commandLatencyRecorder())
				.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
				.socketAddressResolver(application.socketAddressResolver())
				.addressResolverGroup(application.addressResolverGroup())
				.tracing(application.tracing());
		}
		return builder
			.nettyCustomizer(new SetUpLimit((application != null) ? application.nettyCustomizer()
					: DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER, limit))
			.build();
	}

	/** What is shared with the application goes on. */
	@Override
	public void destroy() {
		super.destroy();
		getClientConfiguration().getClientResources().orElseThrow().shutdown(0, 1, TimeUnit.SECONDS);
	}

	/**
	 * The settings of the application with those that locks need; commands go to
	 * primaries only.
	 */
	private static LettuceClientConfiguration settings(LettuceClientConfiguration application, Duration timeout,
			boolean cluster) {
		ClientOptions options = application.getClientOptions().orElseGet(ClientOptions::create);
		Duration limit = least(application.getCommandTimeout(), timeout);
		LettuceClientConfigurationBuilder settings = LettuceClientConfiguration.builder()
			.clientResources(resources(application.getClientResources().orElse(null), limit))
			.clientOptions(options(options, timeout, cluster))
			.commandTimeout(SetUpLimit.first(options.getSocketOptions().getConnectTimeout(), limit))
			.shutdownTimeout(application.getShutdownTimeout())
			.shutdownQuietPeriod(Duration.ZERO);
		application.getClientName().ifPresent(settings::clientName);
		application.getRedisCredentialsProviderFactory().ifPresent(settings::redisCredentialsProviderFactory);
		if (application.isUseSsl()) {
			LettuceSslClientConfigurationBuilder tls = settings.useSsl().verifyPeer(application.getVerifyMode());
			if (application.isStartTls()) {
				tls.startTls();
			}
		}
		return settings.build();
	}

	/** Those for a cluster have not all of the others, so they are for a cluster only. */
	private static ClientOptions options(ClientOptions given, Duration timeout, boolean cluster) {
		ClientOptions.Builder options = cluster ? clusterOptions(given, timeout) : given.mutate();
		return options.autoReconnect(true)
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.DEFAULT)
			.replayFilter(ClientOptions.DEFAULT_REPLAY_FILTER)
			.suspendReconnectOnProtocolFailure(false)
			.timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
			.socketOptions(given.getSocketOptions()
				.mutate()
				.connectTimeout(least(given.getSocketOptions().getConnectTimeout(), timeout))
				.build())
			.build();
	}

	/**
	 * Lettuce has a time-out of a minute for nodes that it finds by itself: so long it
	 * would wait for the view of one that froze, and look at the cluster no more.
	 */
	private static ClusterClientOptions.Builder clusterOptions(ClientOptions given, Duration timeout) {
		ClusterClientOptions.Builder options = ClusterClientOptions.builder(given)
			.topologyRefreshOptions(refresh(given));
		Predicate<RedisClusterNode> chosen = options.build().getNodeFilter();
		return options.nodeFilter((node) -> {
			node.getUri().setTimeout(timeout);
			return chosen.test(node);
		});
	}

	/**
	 * Lettuce before 7.0 reads the topology after no failure unless it is configured to.
	 */
	@SuppressWarnings("deprecation")
	private static ClusterTopologyRefreshOptions refresh(ClientOptions given) {
		ClusterTopologyRefreshOptions chosen = (given instanceof ClusterClientOptions cluster)
				? cluster.getTopologyRefreshOptions() : null;
		return (chosen != null && chosen.isPeriodicRefreshEnabled()) ? chosen
				: ClusterTopologyRefreshOptions.builder()
					.enablePeriodicRefresh(CLUSTER_REFRESH)
					.enableAllAdaptiveRefreshTriggers()
					.adaptiveRefreshTriggersTimeout(CLUSTER_REFRESH_AFTER_FAILURE)
					.dynamicRefreshSources(chosen == null || chosen.useDynamicRefreshSources())
					.build();
	}

	/** None means to wait without end. */
	private static Duration least(Duration chosen, Duration other) {
		return (!chosen.isZero() && chosen.compareTo(other) < 0) ? chosen : other;
	}

}
