package io.distributedlock.hostile;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;

import org.springframework.test.util.ReflectionTestUtils;

/** Locks in memory, looked into, since there is no server to ask. */
final class HostileMemory implements HostileStore {

	private MemoryLocks locks;

	HostileMemory() {
		this(new MemoryLocks());
	}

	HostileMemory(MemoryLocks locks) {
		this.locks = locks;
	}

	@Override
	public LockStore createStore() {
		return new MemoryLockStore(this.locks);
	}

	@Override
	public void clear() {
		this.locks = new MemoryLocks();
	}

	@Override
	public Set<String> stored() {
		synchronized (this.locks) {
			return all().keySet().stream().map(LockKey::encoded).collect(Collectors.toSet());
		}
	}

	@Override
	public int held() {
		synchronized (this.locks) {
			return (int) all().values().stream().filter(HostileMemory::isTaken).count();
		}
	}

	@Override
	public int waitedFor() {
		synchronized (this.locks) {
			return (int) all().values().stream().filter(HostileMemory::isWaitedFor).count();
		}
	}

	/** Faster than to look at each key, as often as it is asked. */
	private static boolean isTaken(Object lock) {
		Object owner = field(lock, "owner");
		boolean owned = owner != null && String.valueOf(field(owner, "status")).equals("HELD");
		return owned || !((Collection<?>) field(field(lock, "registers"), "holders")).isEmpty();
	}

	private static boolean isWaitedFor(Object lock) {
		return Boolean.FALSE.equals(ReflectionTestUtils.invokeMethod(field(lock, "waiters"), "isEmpty"));
	}

	private static Object field(Object target, String name) {
		return ReflectionTestUtils.getField(target, name);
	}

	@SuppressWarnings("unchecked")
	private Map<LockKey, Object> all() {
		return (Map<LockKey, Object>) field(field(this.locks, "table"), "locks");
	}

	@Override
	public boolean isHeld(LockKey key) {
		return this.locks.isLocked(key.name(), key.key());
	}

	@Override
	public boolean isDeserted() {
		return field(this.locks, "listeners") instanceof Map<?, ?> listeners && listeners.isEmpty();
	}

	@Override
	public void close() {
		clear();
	}

}
