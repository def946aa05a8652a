package io.distributedlock.hostile;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

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
			return new HashSet<>(all().keySet());
		}
	}

	@Override
	public int held() {
		return count((lock) -> ReflectionTestUtils.getField(lock, "owner") != null);
	}

	@Override
	public int waitedFor() {
		return count(
				(lock) -> Stream.of("instances", "readers", "phase", "fair").anyMatch((line) -> hasWord(lock, line)));
	}

	private static boolean hasWord(Object lock, String line) {
		Object waiting = ReflectionTestUtils.getField(lock, "line");
		return !((Map<?, ?>) ReflectionTestUtils.getField(waiting, line)).isEmpty();
	}

	private int count(Predicate<Object> wanted) {
		synchronized (this.locks) {
			return (int) all().values().stream().filter(wanted).count();
		}
	}

	@SuppressWarnings("unchecked")
	private Map<String, Object> all() {
		return (Map<String, Object>) ReflectionTestUtils.getField(this.locks, "locks");
	}

	@Override
	public boolean isHeld(LockKey key) {
		return this.locks.isLocked(key.name(), key.key());
	}

	@Override
	public boolean isDeserted() {
		return ReflectionTestUtils.getField(this.locks, "listeners") instanceof Map<?, ?> listeners
				&& listeners.isEmpty();
	}

	@Override
	public void close() {
		clear();
	}

}
