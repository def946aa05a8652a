package io.distributedlock.observation;

import java.time.Duration;

import io.distributedlock.LockProfiles;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.event.LockObserver;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A server, and registries on it that do not wait long for its answers. */
final class ObservedRedis implements AutoCloseable {

	static final Duration TIMEOUT = Duration.ofMillis(300);

	final RedisServer server = RedisServers.start();

	private final LettuceConnectionFactory factory;

	ObservedRedis() {
		this.factory = new LettuceConnectionFactory(this.server.host(), this.server.port());
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	DefaultLockRegistry registry(LockEventListener listener, LockObserver observer) {
		RedisStoreSettings settings = new RedisStoreSettings("lock:", Duration.ofSeconds(60), TIMEOUT, true);
		return new DefaultLockRegistry(new RedisLockStore(this.factory, settings), LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), listener, observer);
	}

	/** All locks are gone. */
	void forget() {
		try (var connection = this.factory.getConnection()) {
			connection.serverCommands().flushAll();
		}
	}

	@Override
	public void close() {
		this.factory.destroy();
		this.server.close();
	}

}
