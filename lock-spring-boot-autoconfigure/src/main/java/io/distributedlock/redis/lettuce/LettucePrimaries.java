package io.distributedlock.redis.lettuce;

import java.nio.CharBuffer;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Connections of the factory's Lettuce client to primaries. With Sentinel each new one
 * asks where the primary is. In a cluster they go to single nodes, by a client beside the
 * factory's that shares its threads and its topology. Thread-safe.
 */
final class LettucePrimaries implements AutoCloseable {

	private final LettuceConnectionFactory factory;

	private final Object monitor = new Object();

	/** Guarded by the monitor. */
	private @Nullable RedisClient client;

	/** Whose threads the client shares. Guarded by the monitor. */
	private @Nullable RedisClusterClient sharing;

	/** Guarded by the monitor. */
	private boolean closed;

	LettucePrimaries(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	boolean isCluster() {
		return this.factory.isClusterAware();
	}

	/** The place of a key, which may be connected to. May block in a cluster. */
	String placeOf(byte[] key) {
		if (!isCluster()) {
			return "";
		}
		int slot = SlotHash.getSlot(key);
		RedisClusterNode node = application().getPartitions().getPartitionBySlot(slot);
		if (node == null) {
			throw new IllegalStateException("CLUSTERDOWN No node is known to serve hash slot " + slot);
		}
		return node.getUri().getHost() + ':' + node.getUri().getPort();
	}

	/** Connect to a place. Blocks. */
	StatefulRedisConnection<byte[], byte[]> connect(String place) {
		return isCluster() ? client().connect(ByteArrayCodec.INSTANCE, uri(place))
				: ((RedisClient) this.factory.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE);
	}

	/** Read the topology of the cluster again. */
	void refresh() {
		application().refreshPartitionsAsync();
	}

	/**
	 * With the user and all else that the application's client uses. What that knows of
	 * its nodes is only where they are.
	 */
	private RedisURI uri(String place) {
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

	private RedisClusterClient application() {
		return (RedisClusterClient) this.factory.getRequiredNativeClient();
	}

	/** The client for single nodes; a new one when the application has a new one. */
	private RedisClient client() {
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
