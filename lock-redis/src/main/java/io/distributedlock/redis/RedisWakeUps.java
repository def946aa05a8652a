package io.distributedlock.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.store.WakeUpListener;

/**
 * The wake-up channels of the registries that a store was started for. A registry is
 * known by its listener, which stays the same when it takes another identity.
 */
final class RedisWakeUps implements AutoCloseable {

	private final RedisDriver driver;

	private final String keyPrefix;

	/** Whether what is sent to waiters arrives, as far as is known. */
	volatile boolean heard;

	private final Map<WakeUpListener, RedisWakeUpChannel> channels = new ConcurrentHashMap<>();

	RedisWakeUps(RedisDriver driver, String keyPrefix) {
		this.driver = driver;
		this.keyPrefix = keyPrefix;
	}

	/** A registry begins, or has another identity from here on. Does not block. */
	void listen(String instance, WakeUpListener listener) {
		// Channels and keys have separate names, so a lock of that name does no harm.
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

	/** A caller waits. Does not block. */
	void subscribe() {
		this.channels.values().forEach(RedisWakeUpChannel::subscribe);
	}

	/** A waiter entry was left in the store. Does not block. */
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
