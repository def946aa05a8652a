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
 * Lettuce connections of the locks alone, with the configuration of the application: the
 * same servers, credentials, TLS and name, but threads of their own. The application's
 * work on its own connections and their threads delays nothing here. They reconnect
 * within about a second, however long the server was away, and refresh the view of a
 * cluster by themselves. Commands go to primaries only.
 */
final class LettuceOwnConnections extends LettuceConnectionFactory {

	/** The smallest pool of Lettuce. */
	private static final int THREADS = 2;

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	/** Time-out of a blocking command, and of each connection but the first. */
	private final Duration limit;

	/** The longest random pause before attempt n is this times 2^n. */
	private static final long PAUSE_MILLIS = 20;

	private static final Duration CLUSTER_REFRESH = Duration.ofSeconds(2);

	private static final Duration CLUSTER_REFRESH_AFTER_FAILURE = Duration.ofSeconds(1);

	/**
	 * Create the factory. Opens nothing.
	 * @param configuration the servers
	 * @param application the other configuration of the application
	 * @param timeout the time-out for opening a connection; the first one has the connect
	 * time-out of the application if that is longer
	 */
	LettuceOwnConnections(RedisConfiguration configuration, LettuceClientConfiguration application, Duration timeout) {
		super(configuration,
				settings(application, timeout, configuration instanceof RedisConfiguration.ClusterConfiguration));
		this.limit = least(application.getCommandTimeout(), timeout);
		afterPropertiesSet();
		start();
	}

	/**
	 * Time-out of a blocking command. That of the settings is for the first connection.
	 */
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
	 * Return resources like those of the application, but with own threads, timer, event
	 * bus and pauses before a reconnect. Code of the application that blocks a thread of
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

	/** Close all but the parts that are shared with the application. */
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

	/**
	 * Return the options. Those for a cluster lack some of the others, so only a cluster
	 * gets them.
	 */
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
	 * Set the time-out of nodes that Lettuce finds by itself. It is a minute by default,
	 * for which a frozen node would stop the refresh of the topology.
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
	 * Return options that refresh the topology in intervals and after failures, unless
	 * the given ones refresh it in intervals. By default Lettuce before 7.0 does neither.
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

	/** Return the shorter time. A chosen time of zero means no limit. */
	private static Duration least(Duration chosen, Duration other) {
		return (!chosen.isZero() && chosen.compareTo(other) < 0) ? chosen : other;
	}

}
