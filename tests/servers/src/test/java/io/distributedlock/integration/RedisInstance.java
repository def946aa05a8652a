package io.distributedlock.integration;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.Patience;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of an application, on a server that ends with the JVM. */
final class RedisInstance implements AutoCloseable {

	static final String NAME = "messages";

	/** A lease that ends soon. */
	static final LockOptions EXPIRING = LockOptions.NONE.withTtl(Duration.ofMillis(200)).withRenew(false);

	/** The store answers within this time on any machine. */
	private static final RedisStoreSettings PATIENT = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(10), true);

	private static final LettuceConnectionFactory FACTORY = connect(RedisServers.start());

	final DefaultLockRegistry locks;

	final IntegrationLockRegistry registry;

	RedisInstance(LockOptions options) {
		LockProfiles profiles = new LockProfiles(options, Map.of());
		this.locks = new DefaultLockRegistry(new RedisLockStore(FACTORY, PATIENT), profiles,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
		this.registry = new IntegrationLockRegistry(this.locks, profiles, NAME);
	}

	private static LettuceConnectionFactory connect(RedisServer server) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server.host(), server.port());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/** Return whether any instance holds a lock. */
	boolean isLocked(String key) {
		return this.locks.isLocked(NAME, key);
	}

	/** Return how long the holder of a lock has it still, if it is not renewed. */
	Duration remaining(String key) {
		return this.locks.inspect(NAME, key).holders().get(0).remaining();
	}

	/** Take a lock away from its holder, which knows that at once. */
	void takeAway(String key) {
		this.locks.forceRelease(NAME, key, null);
	}

	void awaitWaiting(String key) {
		Patience.await().until(() -> isWaiting(key));
	}

	boolean isWaiting(String key) {
		return this.locks.waiting().stream().anyMatch((caller) -> caller.keys().contains(key));
	}

	@Override
	public void close() {
		this.locks.close();
	}

}
