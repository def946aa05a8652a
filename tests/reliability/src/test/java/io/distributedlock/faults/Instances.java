package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.awaitility.Awaitility.await;

/**
 * Instances of an application, each with a connection factory of its own, and the lock
 * events that they received.
 */
abstract class Instances implements AutoCloseable {

	/**
	 * The first lock of a process loads the driver, for longer than the default wait
	 * where others use the processors.
	 */
	static final LockProfiles PATIENT = new LockProfiles(LockOptions.NONE.withWaitFor(Duration.ofSeconds(60)),
			Map.of());

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	/** The instances come first, since they are to end before the things they need. */
	final List<AutoCloseable> closeables = new ArrayList<>();

	/** The defaults with another time for each command. */
	static RedisStoreSettings withCommandTimeout(Duration timeout) {
		RedisStoreSettings defaults = RedisStoreSettings.DEFAULTS;
		return new RedisStoreSettings(defaults.keyPrefix(), defaults.tokenRetention(), timeout, true);
	}

	/** A new instance of an application, whose connections end with it. */
	final DefaultLockRegistry instance(RedisConnectionFactory factory) {
		return instance(factory, RedisStoreSettings.DEFAULTS);
	}

	/** A new instance of an application, whose connections end with it. */
	final DefaultLockRegistry instance(RedisConnectionFactory factory, RedisStoreSettings settings) {
		DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, settings), PATIENT,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), this.events::add);
		this.closeables.add(0, ((DisposableBean) factory)::destroy);
		this.closeables.add(0, registry);
		return registry;
	}

	final void awaitLoss(String key, LossReason reason) {
		await().until(() -> of(key, LockEvent.Lost.class).stream()
			.anyMatch((event) -> ((LockEvent.Lost) event).reason() == reason));
	}

	final boolean isLost(String key) {
		return !of(key, LockEvent.Lost.class).isEmpty();
	}

	/** The events of a kind for a lock. */
	final List<LockEvent> of(String key, Class<? extends LockEvent> kind) {
		return this.events.stream().filter((event) -> kind.isInstance(event) && event.key().equals(key)).toList();
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
	}

}
