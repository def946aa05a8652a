package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

import io.distributedlock.redis.internal.driver.Acknowledgement;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisTarget;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.redis.internal.driver.WakeUpSubscription;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
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
	public static @Nullable RedisDriver of(RedisConnectionFactory factory) {
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
