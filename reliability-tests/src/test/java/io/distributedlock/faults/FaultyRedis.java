package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockProfiles;
import io.distributedlock.LossReason;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.awaitility.Awaitility.await;

/**
 * A server of its own that a test may torture, and instances of an application on it,
 * each with a connection factory of its own.
 */
final class FaultyRedis implements AutoCloseable {

	final RedisServer server;

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final RedisClient admin;

	private final List<AutoCloseable> closeables = new ArrayList<>();

	FaultyRedis(String... settings) {
		this.server = RedisServers.start(settings);
		this.admin = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));
	}

	/** A new instance of an application. */
	DefaultLockRegistry instance() {
		return instance(Driver.LETTUCE.connect(this.server.host(), this.server.port()));
	}

	/** A new instance of an application behind a proxy. */
	DefaultLockRegistry instance(Driver driver, FaultProxy proxy) {
		return instance(driver.connect(proxy.host(), proxy.port()));
	}

	private DefaultLockRegistry instance(RedisConnectionFactory factory) {
		return instance(factory, RedisStoreSettings.DEFAULTS);
	}

	/** A new instance of an application, whose connections end with it. */
	DefaultLockRegistry instance(RedisConnectionFactory factory, RedisStoreSettings settings) {
		DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, settings),
				LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), this.events::add);
		this.closeables.add(0, ((DisposableBean) factory)::destroy);
		this.closeables.add(0, registry);
		return registry;
	}

	/** A proxy in front of the server, which ends after the instances. */
	FaultProxy proxy() {
		FaultProxy proxy = new FaultProxy(this.server.host(), this.server.port());
		this.closeables.add(proxy);
		return proxy;
	}

	/** A connection for the test itself; it comes back by itself after a restart. */
	RedisCommands<String, String> admin() {
		return this.admin.connect().sync();
	}

	/** Let the server do nothing for a while; the answer comes after that. */
	RedisFuture<String> stall(Duration duration) {
		return this.admin.connect()
			.async()
			.dispatch(CommandType.DEBUG, new StatusOutput<>(StringCodec.UTF8),
					new CommandArgs<>(StringCodec.UTF8).add("SLEEP").add(duration.toSeconds()));
	}

	void awaitLoss(String key, LossReason reason) {
		await().atMost(Duration.ofSeconds(30)).until(() -> isLost(key, reason));
	}

	boolean isLost(String key, LossReason reason) {
		return this.events.stream()
			.anyMatch((event) -> event instanceof LockEvent.Lost lost && lost.key().equals(key)
					&& lost.reason() == reason);
	}

	boolean isLost(String key) {
		return this.events.stream().anyMatch((event) -> event instanceof LockEvent.Lost lost && lost.key().equals(key));
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
		this.admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		this.server.close();
	}

}
