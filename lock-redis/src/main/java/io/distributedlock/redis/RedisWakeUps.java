package io.distributedlock.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.store.WakeUpListener;

/**
 * The wake-up channels of the registries that a store was started for. A registry is
 * known by its listener, which stays when the registry becomes another instance.
 */
final class RedisWakeUps implements AutoCloseable {

	private final RedisDriver driver;

	private final String keyPrefix;

	/** {@code true} if messages to waiters arrive, as far as is known. */
	volatile boolean heard;

	private final Map<WakeUpListener, RedisWakeUpChannel> channels = new ConcurrentHashMap<>();

	RedisWakeUps(RedisDriver driver, String keyPrefix) {
		this.driver = driver;
		this.keyPrefix = keyPrefix;
	}

	/** Add a registry, or change its instance. Does not block. */
	void listen(String instance, WakeUpListener listener) {
		// Redis keeps channels and keys apart, so a lock of this name does no harm.
		String name = this.keyPrefix + "!wake:" + instance;
		RedisWakeUpChannel present = this.channels.get(listener);
		if (present != null) {
			present.listenTo(name);
		}
		else {
			this.channels.put(listener, new RedisWakeUpChannel(this.driver, name, listener, this::changed));
			changed();
		}
	}

	/** Subscribe, since a caller waits. Does not block. */
	void subscribe() {
		this.channels.values().forEach(RedisWakeUpChannel::subscribe);
	}

	/**
	 * Subscribe, since a caller waits and the server answers commands. Does not block.
	 */
	void answered() {
		this.channels.values().forEach(RedisWakeUpChannel::answered);
	}

	private synchronized void changed() {
		this.heard = this.channels.values().stream().allMatch(RedisWakeUpChannel::isSubscribed);
	}

	void resubscribe() {
		this.channels.values().forEach(RedisWakeUpChannel::resubscribe);
	}

	@Override
	public void close() {
		this.channels.values().forEach(RedisWakeUpChannel::close);
		this.channels.clear();
	}

}
