package io.distributedlock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.Ticker;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;

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
		this.listeners.values().removeIf((other) -> other == listener);
		this.listeners.put(instance, listener);
	}

	synchronized void forget(String instance) {
		this.listeners.remove(instance);
	}

	/**
	 * Take locks, all or none.
	 * @throws LockStoreException if another kind of lock lives under a key
	 */
	AcquireOutcome acquire(AcquireCommand command, MemoryEntry entry) {
		List<Runnable> wakeUps = new ArrayList<>(0);
		try {
			return acquire(command, entry, wakeUps);
		}
		finally {
			wakeUps.forEach(Runnable::run);
		}
	}

	private synchronized AcquireOutcome acquire(AcquireCommand command, MemoryEntry entry, List<Runnable> wakeUps) {
		long now = this.clock.nanos();
		sweepSometimes(now);
		MemoryLock[] wanted = new MemoryLock[command.keys().size()];
		for (int i = 0; i < wanted.length; i++) {
			LockKey key = command.keys().get(i);
			wanted[i] = lock(key);
			List<MemoryWakeUp> woken = new ArrayList<>(0);
			wanted[i].catchUp(now, woken);
			addAll(woken, key, wakeUps);
		}
		AcquireOutcome outcome = acquire(wanted, command, entry, now);
		for (int i = 0; i < wanted.length; i++) {
			if (outcome instanceof AcquireOutcome.Busy busy && busy.index() != i) {
				List<MemoryWakeUp> woken = new ArrayList<>(0);
				wanted[i].makeRoom(command.request(), now, woken);
				addAll(woken, command.keys().get(i), wakeUps);
			}
			remember(wanted[i], now);
		}
		return outcome;
	}

	private static AcquireOutcome acquire(MemoryLock[] wanted, AcquireCommand command, MemoryEntry entry, long now) {
		int owned = 0;
		int busy = -1;
		boolean ended = false;
		for (int i = 0; i < wanted.length; i++) {
			switch (wanted[i].standing(command, entry, now)) {
				case OWNER -> {
					owned++;
					wanted[i].claimedBy(entry, command.request());
				}
				case ENDED -> ended = true;
				case OTHER_KIND -> throw otherKind(wanted[i], command, i);
				case LATE -> busy = (busy < 0) ? i : busy;
				case FIRST -> {
				}
			}
		}
		if (ended || (owned > 0 && owned < wanted.length)) {
			return AcquireOutcome.Refused.INSTANCE;
		}
		return (busy >= 0) ? queue(wanted, command, busy, now) : grant(wanted, command, owned > 0, now);
	}

	private static LockStoreException otherKind(MemoryLock lock, AcquireCommand command, int index) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot acquire '" + command.keys().get(index) + "' in memory as " + describe(command.permits()) + ": "
						+ describe(lock.permits())
						+ " lives under this key. Use one kind of lock and one number of permits for a key, "
						+ "or give one of the two a name of its own",
				null);
	}

	private static String describe(int permits) {
		return (permits > 0) ? "a semaphore of " + permits + " permits" : "a lock that is no semaphore";
	}

	/** Whoever is to be served in order takes its place in all lines at once. */
	private static AcquireOutcome queue(MemoryLock[] wanted, AcquireCommand command, int busy, long now) {
		MemoryObstacle obstacle = wanted[busy].obstacle(command, MemoryEntry.IN_TURN, now);
		if (command.mode() == LockMode.FAIR) {
			for (MemoryLock lock : wanted) {
				lock.queue(command, now);
			}
		}
		else {
			wanted[busy].queue(command, now);
		}
		return (obstacle != null)
				? new AcquireOutcome.Busy(obstacle.holder(), Duration.ofNanos(obstacle.until() - now), busy)
				: new AcquireOutcome.Busy("", Duration.ZERO, busy);
	}

	private static AcquireOutcome grant(MemoryLock[] wanted, AcquireCommand command, boolean again, long now) {
		long token = again ? 0 : nextToken(wanted, command, now);
		for (MemoryLock lock : wanted) {
			if (again) {
				token = lock.lengthen(command, now);
			}
			else {
				lock.take(command, token, now);
			}
		}
		return new AcquireOutcome.Granted(token);
	}

	/** One above all of theirs; a reader takes the last one as it is, if there is one. */
	private static long nextToken(MemoryLock[] wanted, AcquireCommand command, long now) {
		boolean raise = command.mode() != LockMode.READ;
		long last = 0;
		for (MemoryLock lock : wanted) {
			raise |= lock.token() == 0;
			last = Math.max(last, lock.token());
		}
		return raise ? Math.max(Math.max(command.highestToken(), last) + 1, now / 1000) : last;
	}

	private MemoryLock lock(LockKey key) {
		return this.locks.computeIfAbsent(key.encoded(), (missing) -> new MemoryLock());
	}

	private void remember(MemoryLock lock, long now) {
		lock.forgetAt = lock.busyUntil(now) + this.retentionNanos;
	}

	synchronized List<Boolean> renew(List<RenewCommand> commands) {
		long now = this.clock.nanos();
		List<Boolean> owners = new ArrayList<>(commands.size());
		for (RenewCommand command : commands) {
			MemoryLock lock = this.locks.get(command.key().encoded());
			boolean owner = lock != null && lock.renew(command, now);
			if (lock != null && owner) {
				remember(lock, now);
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
			if (lock == null || !lock.isHeldBy(request, now)) {
				return false;
			}
		}
		keys.forEach((key) -> lock(key).raise(request, token));
		return true;
	}

	/** Whether the request was the owner of all. */
	boolean release(List<LockKey> keys, RequestId request, RenewalMarks marks) {
		return end(keys, (key, now, woken) -> {
			MemoryLock lock = this.locks.get(key.encoded());
			return lock != null && lock.release(request, marks, now, woken);
		});
	}

	/** End a request. If the instance goes on waiting, its word is good for some time. */
	void abandon(List<LockKey> keys, RequestId request, Duration waiting) {
		end(keys, (key, now, woken) -> {
			lock(key).abandon(request, waiting, now, woken);
			return true;
		});
	}

	private boolean end(List<LockKey> keys, Ending ending) {
		List<Runnable> wakeUps = new ArrayList<>(0);
		boolean all = true;
		synchronized (this) {
			long now = this.clock.nanos();
			for (LockKey key : keys) {
				List<MemoryWakeUp> woken = new ArrayList<>(0);
				all &= ending.end(key, now, woken);
				MemoryLock lock = this.locks.get(key.encoded());
				if (lock != null) {
					remember(lock, now);
				}
				addAll(woken, key, wakeUps);
			}
		}
		wakeUps.forEach(Runnable::run);
		return all;
	}

	private void addAll(List<MemoryWakeUp> woken, LockKey key, List<Runnable> wakeUps) {
		for (MemoryWakeUp wakeUp : woken) {
			WakeUpListener listener = this.listeners.get(wakeUp.instance());
			RequestId request = wakeUp.request();
			if (listener != null && request != null) {
				wakeUps.add(() -> listener.wakeUp(key.encoded(), request.toString()));
			}
			else if (listener != null) {
				wakeUps.add(() -> listener.wakeUp(key.encoded()));
			}
		}
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
	 * Whether somebody holds a lock or a permit of it, or it is kept.
	 * @param name the namespace, maybe empty
	 * @param key the key
	 * @return whether one who wants it alone would find it busy
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

	/** How a request ends for one key. */
	@FunctionalInterface
	private interface Ending {

		boolean end(LockKey key, long now, List<MemoryWakeUp> woken);

	}

}
