package io.distributedlock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.engine.Ticker;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * The locks themselves, for one or several {@link MemoryLockStore}s, each of which stands
 * for an instance of an application. Thread-safe.
 *
 * @since 0.1.0
 */
public final class MemoryLocks {

	private static final int SWEEP_EVERY = 1024;

	private final Ticker clock;

	private final long retentionNanos;

	private final Map<String, MemoryLock> locks = new HashMap<>();

	private final Map<String, WakeUpListener> listeners = new HashMap<>();

	private int untilSweep = SWEEP_EVERY;

	/** Create locks that remember ended requests and tokens for a minute. */
	public MemoryLocks() {
		this(Ticker.system(), Duration.ofSeconds(60));
	}

	/**
	 * Create locks.
	 * @param clock the clock that leases run by
	 * @param retention how long tokens and ended requests are remembered
	 */
	public MemoryLocks(Ticker clock, Duration retention) {
		this.clock = clock;
		this.retentionNanos = retention.toNanos();
	}

	synchronized void listen(String instance, WakeUpListener listener) {
		this.listeners.put(instance, listener);
	}

	synchronized void forget(String instance) {
		this.listeners.remove(instance);
	}

	synchronized AcquireOutcome acquire(AcquireCommand command) {
		long now = this.clock.nanos();
		sweepSometimes(now);
		MemoryLock lock = this.locks.computeIfAbsent(command.key().encoded(), (key) -> new MemoryLock());
		AcquireOutcome outcome = lock.acquire(command, now);
		lock.forgetAt = Math.max(lock.busyUntil(now), now) + this.retentionNanos;
		return outcome;
	}

	synchronized List<Boolean> renew(List<RenewCommand> commands) {
		long now = this.clock.nanos();
		List<Boolean> owners = new ArrayList<>(commands.size());
		for (RenewCommand command : commands) {
			MemoryLock lock = this.locks.get(command.key().encoded());
			boolean owner = lock != null && lock.renew(command, now);
			if (lock != null && owner) {
				lock.forgetAt = lock.busyUntil(now) + this.retentionNanos;
			}
			owners.add(owner);
		}
		return owners;
	}

	/**
	 * Release or abandon.
	 * @return whether the request was the owner
	 */
	boolean end(LockKey key, RequestId request, boolean abandoned) {
		WakeUpListener woken = null;
		boolean owner;
		synchronized (this) {
			long now = this.clock.nanos();
			MemoryLock lock = abandoned ? this.locks.computeIfAbsent(key.encoded(), (ignored) -> new MemoryLock())
					: this.locks.get(key.encoded());
			if (lock == null) {
				return false;
			}
			owner = lock.end(request, abandoned, now);
			lock.forgetAt = Math.max(lock.busyUntil(now), now) + this.retentionNanos;
			if (owner || abandoned) {
				woken = nextWaiter(lock, now);
			}
		}
		if (woken != null) {
			woken.wakeUp(key.encoded());
		}
		return owner;
	}

	private @Nullable WakeUpListener nextWaiter(MemoryLock lock, long now) {
		if (lock.busyUntil(now) > now) {
			return null;
		}
		String instance = lock.nextWaiting(now);
		return (instance != null) ? this.listeners.get(instance) : null;
	}

	/**
	 * Take a lock away from its holder, as an eviction, a flush or an operator would. The
	 * holder is not told; its next renewal finds out. For tests.
	 * @param name the namespace, maybe empty
	 * @param key the key
	 * @return whether anything was there
	 */
	public synchronized boolean remove(String name, String key) {
		return this.locks.remove(new LockKey(name, key).encoded()) != null;
	}

	/**
	 * Whether somebody holds a lock, or it is kept.
	 * @param name the namespace, maybe empty
	 * @param key the key
	 * @return whether an attempt would find it busy
	 */
	public synchronized boolean isLocked(String name, String key) {
		MemoryLock lock = this.locks.get(new LockKey(name, key).encoded());
		long now = this.clock.nanos();
		return lock != null && lock.busyUntil(now) > now;
	}

	/**
	 * How many keys are known: held, kept or remembered.
	 * @return the number, without those whose retention is over
	 */
	public synchronized int size() {
		sweep(this.clock.nanos());
		return this.locks.size();
	}

	private void sweepSometimes(long now) {
		if (--this.untilSweep <= 0) {
			sweep(now);
			this.untilSweep = Math.max(SWEEP_EVERY, this.locks.size());
		}
	}

	private void sweep(long now) {
		this.locks.values().removeIf((lock) -> lock.forgetAt <= now);
	}

}
