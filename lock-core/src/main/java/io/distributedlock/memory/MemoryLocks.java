package io.distributedlock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.state.LockTable;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;

/**
 * The locks of one or several {@link MemoryLockStore}s; each store stands for an instance
 * of an application. Leases count in milliseconds. Thread-safe.
 *
 * @since 0.1.0
 */
public final class MemoryLocks {

	private final LongSupplier clock;

	private final LockTable table;

	private final Map<String, WakeUpListener> listeners = new HashMap<>();

	private final Map<String, String> names = new HashMap<>();

	/** Create locks that remember ended requests and tokens for a minute. */
	public MemoryLocks() {
		this(Ticker.system()::nanos, Duration.ofSeconds(60));
	}

	/**
	 * Create locks.
	 * @param clock the clock of the leases, in nanoseconds: never negative, and never set
	 * back
	 * @param retention how long tokens and ended requests are remembered
	 */
	public MemoryLocks(LongSupplier clock, Duration retention) {
		this.clock = clock;
		this.table = new LockTable(retention);
	}

	synchronized void listen(String instance, WakeUpListener listener) {
		this.listeners.values().removeIf((other) -> other == listener);
		this.listeners.put(instance, listener);
	}

	/** Remember the name of an instance until its store is closed. */
	synchronized void name(String instance, String name) {
		this.names.put(instance, name);
	}

	synchronized String nameOf(String instance) {
		return this.names.getOrDefault(instance, "");
	}

	synchronized void forget(String instance) {
		this.listeners.remove(instance);
		this.names.remove(instance);
	}

	/** Run a command, and then send its wake-ups outside of the monitor. */
	<T> T run(Command<T> command) {
		List<Runnable> wakeUps = new ArrayList<>(0);
		T outcome;
		synchronized (this) {
			outcome = command.run(micros(), this.table);
			this.table.takeWakeUps().forEach((wakeUp) -> addTo(wakeUps, wakeUp));
		}
		wakeUps.forEach(Runnable::run);
		return outcome;
	}

	private void addTo(List<Runnable> wakeUps, WakeUp wakeUp) {
		WakeUpListener listener = this.listeners.get(wakeUp.instance());
		if (listener != null) {
			wakeUps.add(() -> wakeUp.tell(listener));
		}
	}

	private long micros() {
		return this.clock.getAsLong() / 1000;
	}

	/**
	 * Take a lock away from its holder, as an eviction, a flush or an operator would. The
	 * holder is not notified; its next renewal notices it. For tests.
	 * @param name the namespace, maybe empty
	 * @param key the key
	 * @return {@code true} if the lock was known
	 */
	public synchronized boolean remove(String name, String key) {
		return this.table.remove(new LockKey(name, key));
	}

	/**
	 * Return whether a lock or a permit of it is held, or the lock is kept.
	 * @param name the namespace, maybe empty
	 * @param key the key
	 * @return {@code true} if an exclusive request would find it busy
	 */
	public synchronized boolean isLocked(String name, String key) {
		return this.table.isTaken(micros(), new LockKey(name, key));
	}

	/**
	 * The number of keys that are held, kept, waited for or remembered.
	 * @return the number, without those whose retention is over
	 */
	public synchronized int size() {
		return this.table.size(micros());
	}

	/**
	 * A command on the table at a time in microseconds.
	 *
	 * @param <T> its outcome
	 */
	@FunctionalInterface
	interface Command<T> {

		T run(long micros, LockTable table);

	}

}
