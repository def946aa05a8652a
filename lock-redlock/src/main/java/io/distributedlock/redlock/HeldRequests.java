package io.distributedlock.redlock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The granted requests that have not ended. A request that is never ended is forgotten
 * some time after its lease.
 */
final class HeldRequests {

	private static final int SWEEP_EVERY = 1024;

	private final Map<RequestId, Held> held = new ConcurrentHashMap<>();

	private final AtomicInteger untilSweep = new AtomicInteger(SWEEP_EVERY);

	void add(Held granted, long now) {
		this.held.put(granted.command.request(), granted);
		if (this.untilSweep.decrementAndGet() <= 0) {
			this.held.values().removeIf((each) -> !each.isValid(now));
			this.untilSweep.set(Math.max(SWEEP_EVERY, this.held.size()));
		}
	}

	@Nullable Held get(RequestId request) {
		return this.held.get(request);
	}

	@Nullable Held remove(RequestId request) {
		return this.held.remove(request);
	}

	int size() {
		return this.held.size();
	}

}
