package io.distributedlock.engine;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.Lease;
import org.jspecify.annotations.Nullable;

/** The leases that each thread holds through locks. */
final class ThreadLeases {

	private final ThreadLocal<@Nullable Map<ThreadLeaseLock, Hold>> entered = new ThreadLocal<>();

	/** Return the innermost lease that the calling thread holds through one lock. */
	@Nullable Lease innermost(ThreadLeaseLock lock) {
		Map<ThreadLeaseLock, Hold> all = this.entered.get();
		Hold hold = (all != null) ? all.get(lock) : null;
		return (hold != null) ? hold.lease() : null;
	}

	void enter(ThreadLeaseLock lock, Lease lease) {
		Map<ThreadLeaseLock, Hold> all = this.entered.get();
		if (all == null) {
			all = new HashMap<>();
			this.entered.set(all);
		}
		all.put(lock, new Hold(lease, all.get(lock)));
	}

	Lease exit(ThreadLeaseLock lock) {
		Map<ThreadLeaseLock, Hold> all = this.entered.get();
		Hold innermost = (all != null) ? all.remove(lock) : null;
		if (all == null || innermost == null) {
			throw lock.notHeld();
		}
		if (innermost.outer() != null) {
			all.put(lock, innermost.outer());
		}
		else if (all.isEmpty()) {
			this.entered.remove();
		}
		return innermost.lease();
	}

	/** A lease that a thread holds, and those around it. */
	private record Hold(Lease lease, @Nullable Hold outer) {
	}

}
