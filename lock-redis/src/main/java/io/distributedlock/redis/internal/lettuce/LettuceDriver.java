package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

import io.distributedlock.redis.internal.driver.Acknowledgement;
import io.distributedlock.redis.internal.driver.ClientSettings;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisTarget;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.redis.internal.driver.WakeUpSubscription;
import io.lettuce.core.SslVerifyMode;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The driver for Lettuce. Callers never wait for it, and a command blocks no thread.
 */
public final class LettuceDriver implements RedisDriver {

	private final LettuceConnectionFactory factory;

	/** {@code true} if the application does not use the connections. */
	private final boolean own;

	LettuceDriver(LettuceConnectionFactory factory, boolean own) {
		this.factory = factory;
		this.own = own;
	}

	/**
	 * Use the factory of an application.
	 * @param factory the factory; neither changed nor closed
	 * @return the driver, or {@code null} if the factory is not that of Lettuce
	 */
	public static @Nullable LettuceDriver of(RedisConnectionFactory factory) {
		return (factory instanceof LettuceConnectionFactory lettuce) ? new LettuceDriver(lettuce, false) : null;
	}

	@Override
	public RedisConnectionFactory factory() {
		return this.factory;
	}

	@Override
	public RedisTarget target() {
		return new RedisTarget(configuration(), this.factory.isUseSsl());
	}

	/**
	 * Read the field, which has every kind of configuration. The methods take a static
	 * primary with replicas for a server on the local host. The field of a proxy is
	 * empty.
	 */
	private @Nullable RedisConfiguration configuration() {
		return (RedisConfiguration) new DirectFieldAccessor(this.factory).getPropertyValue("configuration");
	}

	/**
	 * Read the settings that another driver can have as well.
	 * @throws IllegalArgumentException if the connections need something that only
	 * Lettuce has; the message goes on after "jedis"
	 */
	public ClientSettings settings() {
		if (this.factory.getClass() != LettuceConnectionFactory.class) {
			throw new IllegalArgumentException("cannot have what %s adds to the connection factory of Lettuce"
				.formatted(this.factory.getClass().getName()));
		}
		LettuceClientConfiguration client = this.factory.getClientConfiguration();
		if (client.getRedisCredentialsProviderFactory().isPresent()) {
			throw new IllegalArgumentException("cannot use a credentials provider of Lettuce");
		}
		if (client.isStartTls()) {
			throw new IllegalArgumentException("cannot use StartTLS");
		}
		if (client.isUseSsl() && client.getVerifyMode() == SslVerifyMode.NONE) {
			throw new IllegalArgumentException("cannot trust every certificate");
		}
		return new ClientSettings(Objects.requireNonNull(configuration()), client.getCommandTimeout(),
				client.getClientOptions().map((options) -> options.getSocketOptions().getConnectTimeout()).orElse(null),
				client.getClientName().orElse(null), client.isUseSsl(), client.getVerifyMode() == SslVerifyMode.FULL);
	}

	@Override
	public boolean isCluster() {
		return this.factory.isClusterAware();
	}

	@Override
	public RedisDriver own(Duration timeout) {
		return (this.factory.getClass() != LettuceConnectionFactory.class) ? this
				: new LettuceDriver(new LettuceOwnConnections(Objects.requireNonNull(configuration()),
						this.factory.getClientConfiguration(), timeout), true);
	}

	@Override
	public ScriptRunner scripts(Function<byte[], String> nodes, Runnable reopened) {
		return new LettuceScriptRunner(this.factory, this.own ? new Silence(nodes, System::nanoTime) : null, reopened);
	}

	@Override
	public WakeUpSubscription subscription(WakeUpSubscription.Listener listener) {
		if (configuration() instanceof RedisStaticMasterReplicaConfiguration) {
			throw new UnsupportedOperationException("Lettuce has no subscriptions where the primary and its replicas "
					+ "are configured by spring.data.redis.masterreplica.nodes");
		}
		return new LettuceWakeUpSubscription(this.factory, listener);
	}

	@Override
	public ScriptRunner acknowledged(Acknowledgement wanted) {
		return new ReplicatedScripts(this.factory, wanted);
	}

	@Override
	public void tryWait(byte[] key) {
		ReplicaConnection connection = ReplicaConnection.open(this.factory,
				ReplicatedScripts.placeOf(this.factory, key), Duration.ofMillis(this.factory.getTimeout()));
		try {
			connection.awaitReplicas(0, Duration.ofMillis(1)).join();
		}
		finally {
			connection.end();
		}
	}

}
