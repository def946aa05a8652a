package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockProfiles;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Instances of an application on servers that belong together, each with a connection
 * factory of its own.
 */
final class TopologyInstances implements AutoCloseable {

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final List<AutoCloseable> closeables = new ArrayList<>();

	private final RedisConfiguration servers;

	private final Duration timeout;

	TopologyInstances(RedisConfiguration servers, Duration timeout) {
		this.servers = servers;
		this.timeout = timeout;
	}

	/** A new instance of an application. */
	DefaultLockRegistry instance(TopologyDriver driver) {
		return instance(driver.connect(this.servers, this.timeout));
	}

	/** A new instance of an application, whose connections end with it. */
	DefaultLockRegistry instance(RedisConnectionFactory factory) {
		DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, RedisStoreSettings.DEFAULTS),
				LockProfiles.DEFAULTS, EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), this.events::add);
		this.closeables.add(0, ((DisposableBean) factory)::destroy);
		this.closeables.add(0, registry);
		return registry;
	}

	List<LockEvent> of(String key, Class<? extends LockEvent> kind) {
		return this.events.stream().filter((event) -> kind.isInstance(event) && event.key().equals(key)).toList();
	}

	boolean isLost(String key) {
		return !of(key, LockEvent.Lost.class).isEmpty();
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
	}

}
