package io.distributedlock.limits;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import io.distributedlock.LockProfiles;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of an application on Lettuce, whose events are counted. */
final class Instance implements AutoCloseable {

	final DefaultLockRegistry registry;

	private final LettuceConnectionFactory factory;

	private final Map<Class<?>, LongAdder> events = new ConcurrentHashMap<>();

	Instance(String host, int port, Duration retention) {
		this(host, port, retention, RedisStoreSettings.DEFAULTS.commandTimeout());
	}

	Instance(String host, int port, Duration retention, Duration commandTimeout) {
		this.factory = new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port),
				LettuceClientConfiguration.builder().shutdownQuietPeriod(Duration.ZERO).build());
		this.factory.afterPropertiesSet();
		this.factory.start();
		RedisStoreSettings defaults = RedisStoreSettings.DEFAULTS;
		RedisStoreSettings settings = new RedisStoreSettings(defaults.keyPrefix(), retention, commandTimeout, true);
		RedisLockStore store = new RedisLockStore(this.factory, settings);
		this.registry = new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), this::count);
	}

	private void count(LockEvent event) {
		this.events.computeIfAbsent(event.getClass(), (ignored) -> new LongAdder()).increment();
	}

	/** How many events of a kind there were. */
	long events(Class<? extends LockEvent> kind) {
		LongAdder counted = this.events.get(kind);
		return (counted != null) ? counted.sum() : 0;
	}

	@Override
	public void close() {
		this.registry.close();
		this.factory.destroy();
	}

}
