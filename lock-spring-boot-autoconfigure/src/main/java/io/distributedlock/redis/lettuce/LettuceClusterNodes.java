package io.distributedlock.redis.lettuce;

import java.nio.CharBuffer;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * The nodes of a cluster as the factory's Lettuce client knows them, and a client beside
 * it that shares its threads, for connections to single nodes that do not come back by
 * themselves.
 */
final class LettuceClusterNodes implements AutoCloseable {

	private final LettuceConnectionFactory factory;

	private final Object monitor = new Object();

	/** Guarded by the monitor. */
	private @Nullable RedisClient client;

	/** Whose threads the client shares. Guarded by the monitor. */
	private @Nullable RedisClusterClient sharing;

	/** Guarded by the monitor. */
	private boolean closed;

	LettuceClusterNodes(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/** The address of the master of a slot, if one is known. */
	@Nullable String placeOf(int slot) {
		RedisClusterNode node = partitions().getPartitionBySlot(slot);
		return (node != null) ? address(node.getUri()) : null;
	}

	/** Ask the cluster anew who has which slot. */
	CompletionStage<Void> refresh() {
		return application().refreshPartitionsAsync();
	}

	/**
	 * With the user and all else that the application's client uses. What that knows of
	 * its nodes is only where they are.
	 */
	RedisURI uri(String place) {
		LettuceClientConfiguration settings = this.factory.getClientConfiguration();
		int colon = place.lastIndexOf(':');
		RedisURI.Builder uri = RedisURI.Builder
			.redis(place.substring(0, colon), Integer.parseInt(place.substring(colon + 1)))
			.withSsl(settings.isUseSsl())
			.withVerifyPeer(settings.getVerifyMode())
			.withStartTls(settings.isStartTls())
			.withTimeout(settings.getCommandTimeout());
		settings.getClientName().ifPresent(uri::withClientName);
		authenticate(uri, settings);
		return uri.build();
	}

	private void authenticate(RedisURI.Builder uri, LettuceClientConfiguration settings) {
		RedisClusterConfiguration configuration = this.factory.getClusterConfiguration();
		if (configuration == null) {
			return;
		}
		String user = configuration.getUsername();
		char[] password = configuration.getPassword().toOptional().orElse(new char[0]);
		if (StringUtils.hasText(user)) {
			uri.withAuthentication(user, CharBuffer.wrap(password));
		}
		else if (password.length > 0) {
			uri.withPassword(password);
		}
		settings.getRedisCredentialsProviderFactory()
			.map((credentials) -> credentials.createCredentialsProvider(configuration))
			.ifPresent(uri::withAuthentication);
	}

	private Partitions partitions() {
		return application().getPartitions();
	}

	private RedisClusterClient application() {
		return (RedisClusterClient) this.factory.getRequiredNativeClient();
	}

	private static String address(RedisURI uri) {
		return uri.getHost() + ':' + uri.getPort();
	}

	/** The client for single nodes; a new one when the application has a new one. */
	RedisClient client() {
		RedisClusterClient application = application();
		synchronized (this.monitor) {
			RedisClient current = this.client;
			if (this.closed) {
				throw new IllegalStateException("The lock store is closed");
			}
			if (current == null || this.sharing != application) {
				current = RedisClient.create(application.getResources());
				current
					.setOptions(ClientOptions.copyOf(application.getOptions()).mutate().autoReconnect(false).build());
				this.client = current;
				this.sharing = application;
			}
			return current;
		}
	}

	@Override
	public void close() {
		RedisClient last;
		synchronized (this.monitor) {
			this.closed = true;
			last = this.client;
			this.client = null;
		}
		if (last != null) {
			last.shutdownAsync();
		}
	}

}
