package io.distributedlock.benchmarks.protocol;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockObserver;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A registry with the defaults and connections of its own, as an application has it.
 */
public final class Instance implements AutoCloseable {

	private final DefaultLockRegistry registry;

	private Instance(RedisConnectionFactory factory, RedisStoreSettings settings, LockOptions options,
			@Nullable LockObserver observer) {
		this.registry = new DefaultLockRegistry(new RedisLockStore(factory, settings),
				new LockProfiles(options, Map.of()), EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null,
				observer);
	}

	static Instance lettuce(String host, int port) {
		return lettuce(host, port, LockOptions.NONE);
	}

	/**
	 * Create an instance on Lettuce.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @param options the options of all locks
	 * @return the instance
	 */
	public static Instance lettuce(String host, int port, LockOptions options) {
		return lettuce(host, port, RedisStoreSettings.DEFAULTS, options, null);
	}

	/**
	 * Create an instance on Lettuce whose waits and holds are observed.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @param options the options of all locks
	 * @param observer the observer
	 * @return the instance
	 */
	public static Instance observed(String host, int port, LockOptions options, LockObserver observer) {
		return lettuce(host, port, RedisStoreSettings.DEFAULTS, options, observer);
	}

	/**
	 * Create an instance with a long time-out, so that it does not repeat commands that
	 * are held back on their way.
	 */
	static Instance patient(String host, int port) {
		RedisStoreSettings defaults = RedisStoreSettings.DEFAULTS;
		return lettuce(host, port,
				new RedisStoreSettings(defaults.keyPrefix(), defaults.tokenRetention(), Duration.ofSeconds(20), true),
				LockOptions.NONE, null);
	}

	/** The factory is only read: the store opens connections of its own. */
	private static Instance lettuce(String host, int port, RedisStoreSettings settings, LockOptions options,
			@Nullable LockObserver observer) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(host, port);
		factory.setEarlyStartup(false);
		factory.afterPropertiesSet();
		return new Instance(factory, settings, options, observer);
	}

	static Instance jedis(String host, int port) {
		return jedis(host, port, LockOptions.NONE);
	}

	/**
	 * Create an instance on Jedis.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @param options the options of all locks
	 * @return the instance
	 */
	public static Instance jedis(String host, int port, LockOptions options) {
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port));
		factory.setEarlyStartup(false);
		factory.afterPropertiesSet();
		return new Instance(factory, RedisStoreSettings.DEFAULTS, options, null);
	}

	/**
	 * The registry, as an application uses it.
	 * @return the registry
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	@Override
	public void close() {
		this.registry.close();
	}

}
