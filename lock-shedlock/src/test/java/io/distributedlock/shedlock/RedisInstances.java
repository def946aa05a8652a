package io.distributedlock.shedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockProfiles;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A server, and the instances of an application whose locks are there. */
final class RedisInstances implements AutoCloseable {

	/** How long the engine waits for an answer where a test has only one try. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	final RedisServer server = RedisServers.start();

	final LettuceConnectionFactory factory = new LettuceConnectionFactory(this.server.host(), this.server.port());

	private final List<DefaultLockRegistry> registries = new ArrayList<>();

	RedisInstances() {
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	/** A registry of another instance. */
	DefaultLockRegistry registry() {
		return registry(PATIENCE);
	}

	DefaultLockRegistry registry(Duration commandTimeout) {
		RedisStoreSettings defaults = RedisStoreSettings.DEFAULTS;
		RedisLockStore store = new RedisLockStore(this.factory,
				new RedisStoreSettings(defaults.keyPrefix(), defaults.tokenRetention(), commandTimeout, true));
		DefaultLockRegistry registry = new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
		this.registries.add(registry);
		return registry;
	}

	@Override
	public void close() {
		this.registries.forEach(DefaultLockRegistry::close);
		this.factory.destroy();
		this.server.close();
	}

}
