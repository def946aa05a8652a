package io.distributedlock.redis.lettuce;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.distributedlock.redis.driver.Acknowledgement;
import io.distributedlock.redis.driver.Reconnects;
import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.redis.driver.RedisTarget;
import io.distributedlock.redis.driver.ScriptRunner;
import io.distributedlock.redis.driver.WakeUpSubscription;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lettuce. Callers never wait for it, and nothing is blocked for a command.
 */
public final class LettuceDriver implements RedisDriver {

	private final LettuceConnectionFactory factory;

	private final Use use;

	LettuceDriver(LettuceConnectionFactory factory, Use use) {
		this.factory = factory;
		this.use = use;
	}

	/** Whether this is the driver of a factory. */
	public static boolean isFor(RedisConnectionFactory factory) {
		return factory instanceof LettuceConnectionFactory;
	}

	/**
	 * Use the factory of an application.
	 * @param factory the factory; neither changed nor closed
	 * @return the driver
	 */
	public static RedisDriver of(RedisConnectionFactory factory) {
		return new LettuceDriver((LettuceConnectionFactory) factory, Use.APPLICATION);
	}

	@Override
	public RedisConnectionFactory factory() {
		return this.factory;
	}

	@Override
	public RedisTarget target() {
		return new RedisTarget(configuration());
	}

	/**
	 * Only the field has the configuration of each kind: the methods take a static
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
						this.factory.getClientConfiguration(), timeout), Use.LOCKS);
	}

	@Override
	public ScriptRunner scripts(Function<byte[], String> nodes, Runnable reopened) {
		return new LettuceScriptRunner(this.factory,
				(this.use != Use.APPLICATION) ? new Silence(nodes, System::nanoTime) : null, reopened);
	}

	/** A client that is not there yet says nothing of how it connects. */
	@Override
	public Reconnects reconnects() {
		AbstractRedisClient client = this.factory.getNativeClient();
		return (client != null) ? new LettuceReconnects(client, this.use == Use.LOCKS) : Reconnects.TOLD_BY_COMMANDS;
	}

	@Override
	public WakeUpSubscription subscription(Executor subscriptions, Duration recovery,
			WakeUpSubscription.Listener listener) {
		return new ContainerSubscription(this.factory, subscriptions, recovery, listener);
	}

	@Override
	public ScriptRunner acknowledged(Acknowledgement wanted) {
		return new ReplicatedScripts(this.factory, wanted);
	}

	@Override
	public void tryWait(byte[] key) {
		try (LettucePrimaries primaries = new LettucePrimaries(this.factory);
				StatefulRedisConnection<byte[], byte[]> connection = primaries.connect(primaries.placeOf(key))) {
			connection.sync().waitForReplication(0, 1);
		}
	}

	/** Who else uses the connections and the event bus of the factory. */
	enum Use {

		/** The application. */
		APPLICATION,

		/** Other nodes of a quorum use the bus, nothing else the connections. */
		NODE,

		/** Nothing else. */
		LOCKS

	}

}
