package io.distributedlock.redlock;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The requests that were granted and have not ended. Those that are never ended are
 * forgotten some time after their leases.
 */
final class HeldRequests {

	private static final int SWEEP_EVERY = 1024;

	private static final int MOST_MINORITIES = 10_000;

	final QuorumTimer timer;

	private final Map<RequestId, Held> held = new ConcurrentHashMap<>();

	/** Those that were granted by too few nodes and have not given them back. */
	private final Set<RequestId> minorities = ConcurrentHashMap.newKeySet();

	private final AtomicInteger untilSweep = new AtomicInteger(SWEEP_EVERY);

	HeldRequests(QuorumTimer timer) {
		this.timer = timer;
	}

	void add(Held granted) {
		this.held.put(granted.command.request(), granted);
		this.minorities.remove(granted.command.request());
		if (this.untilSweep.decrementAndGet() <= 0) {
			long now = this.timer.nanos();
			this.held.values().removeIf((each) -> each.validUntil() - now < 0);
			this.untilSweep.set(Math.max(SWEEP_EVERY, this.held.size()));
		}
	}

	@Nullable Held get(RequestId request) {
		return this.held.get(request);
	}

	/** A request keeps what too few nodes have granted it. */
	void keepMinority(RequestId request) {
		if (this.minorities.size() >= MOST_MINORITIES) {
			// Those that are never ended must not pile up.
			this.minorities.clear();
		}
		this.minorities.add(request);
	}

	/** Whether a request has kept what too few nodes have granted it, up to now. */
	boolean dropMinority(RequestId request) {
		return this.minorities.remove(request);
	}

	@Nullable Held remove(RequestId request) {
		this.minorities.remove(request);
		return this.held.remove(request);
	}

	int size() {
		return this.held.size();
	}

}
