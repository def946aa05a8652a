package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockMode;

/** Makes the inspection of a lock. */
final class Inspection {

	private Inspection() {
	}

	/**
	 * Return the inspection of a lock that is {@linkplain LockState#at updated} to now.
	 */
	static LockInspection of(LockState lock, long now) {
		List<Register> holding = new ArrayList<>(lock.registers.holders);
		boolean alone = lock.owner != null && lock.owner.lasts(now);
		if (alone && lock.owner != null) {
			// The owner comes first; readers beside it are in the list already.
			holding.add(0, lock.owner);
		}
		List<Holder> holders = holding.stream()
			.limit(LockInspection.MOST_HOLDERS)
			.map((held) -> new Holder(held.request().toString(), "", (held == lock.owner) ? lock.token : held.token(),
					Duration.ofMillis(held.end(now) - now), held.permits()))
			.toList();
		LockMode mode = (lock.permits > 0) ? LockMode.SEMAPHORE
				: (alone || holding.isEmpty()) ? LockMode.EXCLUSIVE : LockMode.READ;
		long until = Math.max(lock.kept.end(now), lock.isDelayed(now) ? lock.closedUntil(now) : 0);
		long kept = Math.max(until - now, 0);
		int count = lock.registers.taken + (alone ? 1 : 0);
		return new LockInspection(mode, lock.permits, holders, count, lock.waiters.count(now), Duration.ofMillis(kept),
				List.of());
	}

}
