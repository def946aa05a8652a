package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;

/**
 * The model of the scripts. {@link SimulationModelIntegrationTests} compares it with the
 * real ones.
 */
final class SimulationLocks implements SimulationScripts {

	private final Map<String, SimulationLock> locks = new HashMap<>();

	private List<WakeUp> wakeUps = new ArrayList<>();

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		long now = micros / 1000;
		RequestId request = command.request();
		int keys = command.keys().size();
		int owned = 0;
		int busy = -1;
		boolean ended = false;
		long token = Math.max(micros, command.highestToken() + 1);
		for (int i = 0; i < keys; i++) {
			SimulationLock lock = peek(command.keys().get(i), now);
			if (lock == null) {
				continue;
			}
			if (request.equals(lock.owner)) {
				owned++;
				ended |= !lock.isHeld(now);
			}
			else if (lock.hasEnded(request)) {
				ended = true;
			}
			else if (!lock.isFree(now) && busy < 0) {
				busy = i;
			}
			token = Math.max(token, lock.token + 1);
		}
		if (ended || (owned > 0 && owned < keys)) {
			return AcquireOutcome.Refused.INSTANCE;
		}
		if (owned > 0) {
			return again(command, now);
		}
		return (busy >= 0) ? busy(command, busy, now) : take(command, token, now);
	}

	private AcquireOutcome again(AcquireCommand command, long now) {
		for (LockKey key : command.keys()) {
			SimulationLock lock = peek(key, now);
			extend(lock, now, millis(command.ttl()));
		}
		return new AcquireOutcome.Granted(peek(command.keys().get(0), now).token);
	}

	private static void extend(SimulationLock lock, long now, long ttl) {
		long deadline = Math.max(lock.deadline(now), now + ttl);
		lock.expireAt = Math.max(deadline, lock.kept(now)) + RETENTION;
		lock.deadline = deadline;
		lock.longestLease = deadline - now;
	}

	private AcquireOutcome busy(AcquireCommand command, int index, long now) {
		SimulationLock lock = peek(command.keys().get(index), now);
		boolean held = lock.isHeld(now);
		if (held) {
			lock.deadline = lock.deadline(now);
		}
		if (lock.kept(now) > now) {
			lock.kept = lock.kept(now);
		}
		if (!command.waiting().isZero()) {
			lock.queue(command.request().instance(), now + millis(command.waiting()), now);
		}
		long free = Math.max(held ? lock.deadline : 0, lock.kept(now));
		return new AcquireOutcome.Busy(held ? lock.owner.instance() : "", Duration.ofMillis(free - now), index);
	}

	private AcquireOutcome take(AcquireCommand command, long token, long now) {
		long ttl = millis(command.ttl());
		long keepFor = millis(command.keepFor());
		for (LockKey key : command.keys()) {
			SimulationLock lock = lock(key, now);
			lock.noteExpired();
			lock.owner = command.request();
			lock.token = token;
			lock.deadline = now + ttl;
			lock.longestLease = ttl;
			lock.kept = (keepFor > 0) ? now + keepFor : 0;
			lock.longestKept = keepFor;
			lock.leave(command.request().instance(), now);
			lock.expireAt = now + Math.max(ttl, keepFor) + RETENTION;
		}
		return new AcquireOutcome.Granted(token);
	}

	@Override
	public List<Boolean> renew(long micros, List<RenewCommand> commands) {
		long now = micros / 1000;
		List<Boolean> owners = new ArrayList<>(commands.size());
		for (RenewCommand command : commands) {
			SimulationLock lock = peek(command.key(), now);
			boolean owner = lock != null && command.request().equals(lock.owner) && lock.isHeld(now);
			if (owner) {
				extend(lock, now, millis(command.ttl()));
			}
			owners.add(owner);
		}
		return owners;
	}

	@Override
	public boolean release(long micros, List<LockKey> keys, RequestId request) {
		boolean all = true;
		for (LockKey key : keys) {
			all &= release(key, request, micros / 1000);
		}
		return all;
	}

	private boolean release(LockKey key, RequestId request, long now) {
		SimulationLock lock = peek(key, now);
		if (lock == null || !request.equals(lock.owner)) {
			return lock != null && lock.hasReleased(request);
		}
		boolean held = lock.isHeld(now);
		lock.disown();
		lock.noteReleased(request);
		lock.expireAt = Math.max(lock.kept(now), now) + RETENTION;
		if (lock.kept(now) <= now) {
			wakeNext(key, lock, now);
		}
		return held;
	}

	private void wakeNext(LockKey key, SimulationLock lock, long now) {
		String instance = lock.nextWaiting(now);
		if (instance != null) {
			this.wakeUps.add(new WakeUp(instance, key.encoded()));
		}
	}

	@Override
	public boolean abandon(long micros, List<LockKey> keys, RequestId request) {
		boolean all = true;
		for (LockKey key : keys) {
			all &= abandon(key, request, micros / 1000);
		}
		return all;
	}

	private boolean abandon(LockKey key, RequestId request, long now) {
		SimulationLock lock = lock(key, now);
		boolean owned = request.equals(lock.owner);
		if (owned) {
			lock.disown();
			lock.keepNoMore();
			lock.expireAt = now + RETENTION;
		}
		else {
			lock.expireAt = Math.max(lock.expireAt, now + RETENTION);
		}
		lock.noteAbandoned(request);
		lock.leave(request.instance(), now);
		if (Math.max(lock.deadline(now), lock.kept(now)) <= now) {
			wakeNext(key, lock, now);
		}
		return owned;
	}

	@Override
	public void remove(LockKey key) {
		this.locks.remove(key.encoded());
	}

	@Override
	public List<WakeUp> wakeUps() {
		if (this.wakeUps.isEmpty()) {
			return List.of();
		}
		List<WakeUp> all = this.wakeUps;
		this.wakeUps = new ArrayList<>();
		return all;
	}

	/** What is known of a lock, or {@code null}. */
	SimulationLock peek(LockKey key, long now) {
		SimulationLock lock = this.locks.get(key.encoded());
		if (lock != null && lock.expireAt < now) {
			this.locks.remove(key.encoded());
			return null;
		}
		return lock;
	}

	private SimulationLock lock(LockKey key, long now) {
		SimulationLock lock = peek(key, now);
		if (lock == null) {
			lock = new SimulationLock();
			this.locks.put(key.encoded(), lock);
		}
		return lock;
	}

	static long millis(Duration duration) {
		return duration.isZero() ? 0 : Math.max(1, duration.toMillis());
	}

}
