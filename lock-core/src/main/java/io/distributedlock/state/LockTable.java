package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockInspection;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;

/**
 * Table of all locks of a store. The commands of
 * {@link io.distributedlock.store.LockStore} and
 * {@link io.distributedlock.store.QuorumNode} change it. Each command gets the time, in
 * microseconds of the store's clock, which is never before zero; {@link #takeWakeUps()}
 * returns the wake-ups. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class LockTable {

	private static final int SWEEP_EVERY = 1024;

	private final long retention;

	private final long slack;

	private final Map<LockKey, LockState> locks = new HashMap<>();

	private List<WakeUp> wakeUps = new ArrayList<>(0);

	private int untilSweep = SWEEP_EVERY;

	/**
	 * Create a table without locks.
	 * @param retention time to keep tokens and tombstones, in whole milliseconds
	 */
	public LockTable(Duration retention) {
		this(retention, 0);
	}

	/**
	 * Create a table for times that may be earlier than those of the store.
	 * @param slack by how many milliseconds
	 */
	LockTable(Duration retention, long slack) {
		this.retention = Lifetime.millis(retention);
		this.slack = slack;
	}

	/**
	 * Take locks, all or none.
	 * @param micros the time
	 * @param command the attempt
	 * @return the outcome
	 * @throws io.distributedlock.LockStoreException if another kind of lock is in use
	 * under a key
	 */
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		long now = millis(micros);
		sweepSometimes(now);
		List<LockChange> wanted = command.keys().stream().map((key) -> change(key, micros)).toList();
		AcquireOutcome outcome = new Decision(wanted, command, micros).run();
		wanted.forEach((change) -> keep(change, now));
		return outcome;
	}

	/**
	 * Renew leases.
	 * @param micros the time
	 * @param commands the leases
	 * @return the ownership of each lease
	 */
	public List<Ownership> renew(long micros, List<RenewCommand> commands) {
		return commands.stream().map((command) -> change(command.key(), micros).renew(command)).toList();
	}

	/**
	 * Set leases anew.
	 * @param micros the time
	 * @param command the locks, their owner and the lease
	 * @return the worst ownership among the locks
	 */
	public Ownership extend(long micros, ExtendCommand command) {
		Ownership all = Ownership.HELD;
		for (LockKey key : command.keys()) {
			all = all.and(change(key, micros).extend(command));
		}
		return all;
	}

	/**
	 * Release locks.
	 * @param micros the time
	 * @param command the locks and their owner
	 * @return the worst ownership among the locks
	 */
	public Ownership release(long micros, ReleaseCommand command) {
		long now = millis(micros);
		Ownership all = Ownership.HELD;
		for (LockKey key : command.keys()) {
			LockChange change = change(key, micros);
			all = all.and(change.release(command));
			keep(change, now);
		}
		return all;
	}

	/**
	 * End a request.
	 * @param micros the time
	 * @param command the locks and the request to end
	 * @return {@code true} if it had all of the locks
	 */
	public boolean abandon(long micros, AbandonCommand command) {
		long now = millis(micros);
		boolean all = true;
		for (LockKey key : command.keys()) {
			LockChange change = change(key, micros);
			all &= change.abandon(command);
			keep(change, now);
		}
		return all;
	}

	/**
	 * Raise the token of locks.
	 * @param micros the time
	 * @param command the locks, their owner and the least token
	 * @return {@code true} if the request holds all of the locks; otherwise none is
	 * changed
	 */
	public boolean raise(long micros, RaiseCommand command) {
		long now = millis(micros);
		boolean all = command.keys().stream().allMatch((key) -> lock(key, now).isHeldBy(command.request(), now));
		if (all) {
			command.keys().forEach((key) -> change(key, micros).raise(command));
		}
		return all;
	}

	/**
	 * Return the holders of a lock and the number of its waiters.
	 * @param micros the time
	 * @param key the lock
	 * @return the inspection
	 */
	public LockInspection inspect(long micros, LockKey key) {
		return Inspection.of(lock(key, millis(micros)), millis(micros));
	}

	/**
	 * Take a lock away from its holders.
	 * @param micros the time
	 * @param command the lock, and the only request to take it from, if any
	 * @return the number of ended requests, or 1 if the lock was only kept
	 */
	public int forceRelease(long micros, ForceReleaseCommand command) {
		long now = millis(micros);
		LockChange change = change(command.key(), micros);
		int ended = new ForcedRelease(change, now).run(command);
		keep(change, now);
		return ended;
	}

	/**
	 * Set the number of permits of a semaphore for all requests.
	 * @param micros the time
	 * @param key the lock
	 * @param permits the number, or zero to remove it
	 * @throws io.distributedlock.LockStoreException if the lock is in use and no
	 * semaphore
	 */
	public void setPermits(long micros, LockKey key, int permits) {
		LockChange change = change(key, micros);
		if (!change.setPermits(permits)) {
			throw new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
					"Cannot set the number of permits of '%s': it is in use as a lock that is no semaphore. Use a key or a name of its own"
						.formatted(key),
					null);
		}
		keep(change, millis(micros));
	}

	/**
	 * Remove and return the wake-ups since the last call, in order.
	 * @return the wake-ups
	 */
	public List<WakeUp> takeWakeUps() {
		List<WakeUp> all = this.wakeUps;
		if (!all.isEmpty()) {
			this.wakeUps = new ArrayList<>();
		}
		return all;
	}

	/**
	 * Forget a lock, as an eviction would.
	 * @param key the lock
	 * @return {@code true} if the table had it
	 */
	public boolean remove(LockKey key) {
		return this.locks.remove(key) != null;
	}

	/**
	 * Return whether a lock or a permit of it is held, or it is kept.
	 * @param micros the time
	 * @param key the lock
	 * @return {@code true} if an exclusive request finds it busy, waiters aside
	 */
	public boolean isTaken(long micros, LockKey key) {
		return lock(key, millis(micros)).isTaken(millis(micros));
	}

	/**
	 * Return the number of known locks: held, kept, waited for or remembered.
	 * @param micros the time
	 * @return the number, without those whose retention is over
	 */
	public int size(long micros) {
		sweep(millis(micros));
		return this.locks.size();
	}

	/** Put a lock that was read from a store into the table. */
	void put(LockState lock) {
		lock.slack = this.slack;
		this.locks.put(lock.key, lock);
	}

	private LockChange change(LockKey key, long micros) {
		return new LockChange(lock(key, millis(micros)), micros);
	}

	/**
	 * Return the state of a lock at a time, or a new one that is not in the table yet.
	 */
	LockState lock(LockKey key, long now) {
		LockState lock = this.locks.get(key);
		if (lock != null && !lock.isForgotten(now)) {
			return lock.at(now);
		}
		// Removed, so that it stays forgotten if the clock goes back.
		this.locks.remove(key);
		LockState fresh = new LockState(key, this.retention);
		fresh.slack = this.slack;
		return fresh;
	}

	private void keep(LockChange change, long now) {
		this.wakeUps.addAll(change.rules.wakeUps());
		if (!change.lock.isForgotten(now)) {
			this.locks.put(change.lock.key, change.lock);
		}
	}

	private void sweepSometimes(long now) {
		if (--this.untilSweep <= 0) {
			sweep(now);
			this.untilSweep = Math.max(SWEEP_EVERY, this.locks.size());
		}
	}

	private void sweep(long now) {
		this.locks.values().removeIf((lock) -> lock.isForgotten(now));
	}

	private static long millis(long micros) {
		return Math.floorDiv(micros, 1000);
	}

}
