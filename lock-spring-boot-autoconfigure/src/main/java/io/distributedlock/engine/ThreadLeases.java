package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import org.jspecify.annotations.Nullable;

/** The leases that each thread holds through locks, the innermost first. */
final class ThreadLeases {

	private final ThreadLocal<@Nullable Map<Place, Deque<Lease>>> entered = new ThreadLocal<>();

	/** The leases that the calling thread holds through one lock. */
	@Nullable Deque<Lease> entered(Place place) {
		Map<Place, Deque<Lease>> all = this.entered.get();
		return (all != null) ? all.get(place) : null;
	}

	void enter(Place place, Lease lease) {
		Map<Place, Deque<Lease>> all = this.entered.get();
		if (all == null) {
			all = new HashMap<>();
			this.entered.set(all);
		}
		all.computeIfAbsent(place, (ignored) -> new ArrayDeque<>(2)).push(lease);
	}

	Lease exit(Place place) {
		Map<Place, Deque<Lease>> all = this.entered.get();
		Deque<Lease> leases = (all != null) ? all.get(place) : null;
		if (all == null || leases == null) {
			throw place.notHeld();
		}
		Lease innermost = leases.pop();
		if (leases.isEmpty()) {
			all.remove(place);
		}
		if (all.isEmpty()) {
			this.entered.remove();
		}
		return innermost;
	}

	/**
	 * What a thread may hold.
	 *
	 * @param name the name of the lock, maybe empty
	 * @param key the key of the lock
	 * @param reading whether it is held for reading only
	 */
	record Place(String name, String key, boolean reading) {

		IllegalMonitorStateException notHeld() {
			return new IllegalMonitorStateException(
					"Thread '%s' does not hold lock '%s'%s".formatted(Thread.currentThread().getName(),
							LockException.described(this.name, this.key), this.reading ? " for reading" : ""));
		}

	}

}
