package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreNode;

/** The commands of a store that people and monitoring send. */
abstract class InspectableRedisStore implements LockStore {

	abstract RedisInspection inspection();

	@Override
	public CompletableFuture<LockInspection> inspect(LockKey key) {
		return inspection().inspect(key);
	}

	@Override
	public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return inspection().forceRelease(command);
	}

	@Override
	public CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		return inspection().announce(instance, name, lifetime);
	}

	@Override
	public CompletableFuture<String> nameOf(String instance) {
		return inspection().nameOf(instance);
	}

	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		return inspection().nodes();
	}

	@Override
	public Map<String, Duration> sinceLastAnswer() {
		return inspection().sinceLastAnswer();
	}

}
