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
		MemoryLock[] wanted = new MemoryLock[command.keys().size()];
		for (int i = 0; i < wanted.length; i++) {
			wanted[i] = lock(command.keys().get(i));
		}
		AcquireOutcome outcome = acquire(wanted, command, now);
		for (MemoryLock lock : wanted) {
			remember(lock, now);
		}
		return outcome;
	}

	/** All or none. */
	private static AcquireOutcome acquire(MemoryLock[] wanted, AcquireCommand command, long now) {
		int owned = 0;
		int busy = -1;
		boolean ended = false;
		for (int i = 0; i < wanted.length; i++) {
			switch (wanted[i].standing(command.request(), now)) {
				case OWNER -> owned++;
				case ENDED -> ended = true;
				case LATE -> busy = (busy < 0) ? i : busy;
				case FIRST -> {
				}
			}
		}
		if (ended || (owned > 0 && owned < wanted.length)) {
			return AcquireOutcome.Refused.INSTANCE;
		}
		return (busy >= 0) ? wanted[busy].queue(command, busy, now) : grant(wanted, command, owned > 0, now);
	}

	private static AcquireOutcome grant(MemoryLock[] wanted, AcquireCommand command, boolean again, long now) {
		long token = again ? wanted[0].token() : nextToken(wanted, command, now);
		for (MemoryLock lock : wanted) {
			if (again) {
				lock.lengthen(command, now);
			}
			else {
				lock.take(command, token, now);
			}
		}
		return new AcquireOutcome.Granted(token);
	}

	/** One above all of theirs. */
	private static long nextToken(MemoryLock[] wanted, AcquireCommand command, long now) {
		long last = command.highestToken();
		for (MemoryLock lock : wanted) {
			last = Math.max(last, lock.token());
		}
		return Math.max(last + 1, now / 1000);
	}

	private MemoryLock lock(LockKey key) {
		return this.locks.computeIfAbsent(key.encoded(), (missing) -> new MemoryLock());
	}

	private void remember(MemoryLock lock, long now) {
		lock.forgetAt = Math.max(lock.busyUntil(now), now) + this.retentionNanos;
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

	/** Raise the token of locks if the request owns all. */
	synchronized boolean raise(List<LockKey> keys, RequestId request, long token) {
		long now = this.clock.nanos();
		for (LockKey key : keys) {
			MemoryLock lock = this.locks.get(key.encoded());
			if (lock == null || lock.standing(request, now) != MemoryLock.Standing.OWNER) {
				return false;
			}
		}
		keys.forEach((key) -> lock(key).raise(token));
		return true;
	}

	/**
	 * Release or abandon.
	 * @return whether the request was the owner of all
	 */
	boolean end(List<LockKey> keys, RequestId request, boolean abandoned) {
		List<Runnable> wakeUps = new ArrayList<>(0);
		boolean owner = true;
		synchronized (this) {
			long now = this.clock.nanos();
			for (LockKey key : keys) {
				owner &= end(key, request, abandoned, now, wakeUps);
			}
		}
		wakeUps.forEach(Runnable::run);
		return owner;
	}

	private boolean end(LockKey key, RequestId request, boolean abandoned, long now, List<Runnable> wakeUps) {
		MemoryLock lock = abandoned ? lock(key) : this.locks.get(key.encoded());
		if (lock == null) {
			return false;
		}
		boolean owner = lock.end(request, abandoned, now);
		remember(lock, now);
		WakeUpListener woken = (owner || abandoned) ? nextWaiter(lock, now) : null;
		if (woken != null) {
			wakeUps.add(() -> woken.wakeUp(key.encoded()));
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
