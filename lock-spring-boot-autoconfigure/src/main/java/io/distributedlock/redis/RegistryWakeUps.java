package io.distributedlock.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * The wake-ups of each registry that a store was started for, told apart by the listener,
 * which stays the same when a registry takes another identity.
 */
final class RegistryWakeUps implements AutoCloseable {

	private final RedisDriver driver;

	private final String keyPrefix;

	private final Map<WakeUpListener, RedisWakeUps> registries = new ConcurrentHashMap<>();

	private volatile @Nullable RedisWakeUps latest;

	RegistryWakeUps(RedisDriver driver, String keyPrefix) {
		this.driver = driver;
		this.keyPrefix = keyPrefix;
	}

	/** A registry begins, or has another identity from here on. Does not block. */
	void listen(String instance, WakeUpListener listener) {
		RedisWakeUps present = this.registries.get(listener);
		if (present != null) {
			present.listenAs(instance);
			this.latest = present;
			return;
		}
		RedisWakeUps added = new RedisWakeUps(this.driver, this.keyPrefix, instance, listener);
		this.registries.put(listener, added);
		this.latest = added;
	}

	/** Those of the registry that began last, {@code null} if none did. */
	@Nullable RedisWakeUps latest() {
		return this.latest;
	}

	/** As {@link RedisWakeUps#probe()}, if any did. */
	void probe() {
		RedisWakeUps present = this.latest;
		if (present != null) {
			present.probe();
		}
	}

	void resubscribe() {
		this.registries.values().forEach(RedisWakeUps::resubscribe);
	}

	@Override
	public void close() {
		this.registries.values().forEach(RedisWakeUps::close);
		this.registries.clear();
	}

}
