package io.distributedlock.benchmarks.protocol;

import java.time.Duration;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A registry with the defaults and connections of its own, as an application has it.
 */
final class Instance implements AutoCloseable {

	private final DefaultLockRegistry registry;

	private Instance(RedisConnectionFactory factory, RedisStoreSettings settings) {
		this.registry = new DefaultLockRegistry(new RedisLockStore(factory, settings), LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
	}

	static Instance lettuce(String host, int port) {
		return lettuce(host, port, RedisStoreSettings.DEFAULTS);
	}

	/** One that does not repeat commands which are held back on their way. */
	static Instance patient(String host, int port) {
		RedisStoreSettings defaults = RedisStoreSettings.DEFAULTS;
		return lettuce(host, port,
				new RedisStoreSettings(defaults.keyPrefix(), defaults.tokenRetention(), Duration.ofSeconds(20), true));
	}

	/** The factory is only read: the store opens connections of its own. */
	private static Instance lettuce(String host, int port, RedisStoreSettings settings) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(host, port);
		factory.setEarlyStartup(false);
		factory.afterPropertiesSet();
		return new Instance(factory, settings);
	}

	static Instance jedis(String host, int port) {
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port));
		factory.setEarlyStartup(false);
		factory.afterPropertiesSet();
		return new Instance(factory, RedisStoreSettings.DEFAULTS);
	}

	LockRegistry registry() {
		return this.registry;
	}

	@Override
	public void close() {
		this.registry.close();
	}

}
